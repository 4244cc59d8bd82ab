# One image for web, worker, beat and the practice routers.
# A base with Python 3.11 and pip as `python`; `make image-test` builds on one made from Debian's packages.
ARG BASE=docker.io/library/python:3.11-slim-bookworm
FROM ${BASE}

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 STATE_DIR=/var/lib/expedite
WORKDIR /srv/expedite

COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt

COPY manage.py ./
COPY inventory inventory
COPY provisioning provisioning
COPY templates templates
COPY lab lab

# collectstatic needs no secrets; DEBUG only lifts the check for them during the build.
RUN useradd --system --home-dir /var/lib/expedite --create-home expedite \
    && DEBUG=true STATE_DIR=/tmp/build python manage.py collectstatic --noinput \
    && mkdir -p /var/lib/expedite/static && cp -r /tmp/build/static/. /var/lib/expedite/static/ && rm -rf /tmp/build \
    && chown -R expedite:expedite /var/lib/expedite
USER expedite

EXPOSE 8000
# SIGTERM reaches the program itself, not a shell: it hands over what is under way (STOP_GRACE_SECONDS).
STOPSIGNAL SIGTERM
# 503, and so an error here, when the database, the broker, the tick or the workers are missing: docs/howto/watch.md.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=9)"]
CMD ["gunicorn", "-c", "python:provisioning.gunicorn", "provisioning.wsgi", "--bind", "0.0.0.0:8000"]
