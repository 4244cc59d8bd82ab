"""`make image-test`: the image is built from the Dockerfile and served for real, without a daemon.

The base is made by debootstrap (Debian's packages) in the place of the Dockerfile's; `buildah --isolation chroot` builds
on it and runs what the compose file runs, as the image's own user, against a PostgreSQL and a Redis of this run on
loopback: migrate, web, worker and beat. Needs root, about 1.5 GB below var/image, and some minutes the first time; the
base is kept, and so are the layers that did not change.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import requests
import yaml

from tests import run as servers

ROOT = Path(__file__).resolve().parent.parent
KEPT = Path(os.environ.get("IMAGE_DIR", ROOT / "var/image"))
BASE, IMAGE = "localhost/expedite-base:bookworm", "localhost/expedite:local"
PACKAGES = {"buildah": "buildah", "debootstrap": "debootstrap"}
CERTIFICATES = ("/etc/ssl/certs", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates")


def buildah(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*_buildah(), *words], check=True, text=True, cwd=ROOT, **options)  # type: ignore[call-overload,no-any-return]


def _buildah() -> list[str]:
    # Where overlays cannot be mounted: STORAGE=vfs, which copies the whole image for every layer.
    driver = os.environ.get("STORAGE", "overlay")
    return [
        "buildah", "--root", str(KEPT / driver), "--runroot", str(KEPT / "run"), "--storage-driver", driver,
    ]  # fmt: skip


def step(said: str) -> None:
    print(f"== {said}", flush=True)


def make_base() -> None:
    """Debian with Python 3.11, as `python`, with a pip that may install: what the Dockerfile asks of its base."""
    known = subprocess.run([*_buildah(), "images", "-q", BASE], capture_output=True, text=True, check=False)
    if known.returncode == 0 and known.stdout.strip():
        return
    step("debootstrap: a base of Debian's packages")
    tree = KEPT / "debian"
    shutil.rmtree(tree, ignore_errors=True)
    packages = "python3,python3-pip,python3-venv,ca-certificates"
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={packages}", "bookworm", str(tree)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (tree / "usr/bin/python").symlink_to("python3")
    (tree / "usr/lib/python3.11/EXTERNALLY-MANAGED").unlink()
    container = buildah("from", "scratch", capture_output=True).stdout.strip()
    buildah("add", "--quiet", container, str(tree), "/", stdout=subprocess.DEVNULL)
    buildah("config", "--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container)
    buildah("commit", "--quiet", container, BASE, stdout=subprocess.DEVNULL)
    buildah("rm", container, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)


def build() -> None:
    step("buildah bud: today's Dockerfile")
    # The certificates this machine trusts, for a package index behind a proxy; they do not stay in the image.
    trust = [
        word for path in CERTIFICATES if Path(path).is_dir() for word in ("--volume", f"{path}:{path}:ro")
    ]
    buildah(
        "bud", "--isolation", "chroot", "--network", "host", "--layers", "--format", "docker", "--quiet",
        "--build-arg", f"BASE={BASE}", *trust, "--env", "PIP_CERT=/etc/ssl/certs/ca-certificates.crt", "-t", IMAGE, ".",
    )  # fmt: skip


class Served:
    """One container of the image; each part of the compose file is a process in it."""

    def __init__(self, directory: Path, environment: dict[str, str]) -> None:
        self._directory = directory
        self._environment = [word for pair in environment.items() for word in ("--env", "=".join(pair))]
        self.container = buildah("from", "--pull-never", IMAGE, capture_output=True).stdout.strip()
        self._parts: dict[str, subprocess.Popen[bytes]] = {}

    def _words(self, *command: str) -> list[str]:
        return [
            *_buildah(), "run", "--isolation", "chroot", *self._environment, self.container, "--", *command,
        ]  # fmt: skip

    def run(self, *command: str) -> str:
        return subprocess.run(self._words(*command), check=True, text=True, stdout=subprocess.PIPE).stdout

    def start(self, name: str, *command: str) -> None:
        with self.log(name).open("wb") as log:
            self._parts[name] = subprocess.Popen(
                self._words(*command), stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    def log(self, name: str) -> Path:
        return self._directory / f"{name}.log"

    def running(self) -> bool:
        return all(part.poll() is None for part in self._parts.values())

    def inside(self, name: str) -> list[int]:
        """The processes of a part that are in the container: the descendants of buildah's own."""
        parents = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                parents[int(entry.parent.name)] = int(entry.read_text().rsplit(")", 1)[1].split()[1])
        found, top = [], {self._parts[name].pid}
        while top := {pid for pid, parent in parents.items() if parent in top}:
            found += sorted(top)
        return [pid for pid in found if b"buildah" not in Path(f"/proc/{pid}/cmdline").read_bytes()]

    def terminate(self, name: str) -> int:
        """SIGTERM to the part's first process, as a container's end sends it; its status."""
        os.kill(self.inside(name)[0], signal.SIGTERM)
        return self._parts.pop(name).wait(timeout=60)

    def end(self) -> None:
        for part in self._parts.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(part.pid, signal.SIGKILL)
            part.wait()
        subprocess.run([*_buildah(), "rm", self.container], check=False, stdout=subprocess.DEVNULL)


def until(true: Callable[[], bool], seconds: float, what: str, served: Served) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline or not served.running():
            for name in ("web", "worker", "beat"):
                print(f"-- {name}\n{served.log(name).read_text()[-3000:]}", file=sys.stderr)
            raise SystemExit(f"not within {seconds} seconds: {what}")
        time.sleep(0.3)


def commands() -> dict[str, list[str]]:
    """What the compose file runs; the image's own command for the site."""
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return {name: services[name]["command"] for name in ("migrate", "worker", "beat")}


@contextlib.contextmanager
def serve(directory: Path, environment: dict[str, str]) -> Iterator[Served]:
    served = Served(directory, environment)
    try:
        yield served
    finally:
        served.end()


def main() -> int:
    missing = [package for program, package in PACKAGES.items() if not servers.find(program)]
    if os.geteuid() != 0 or missing:
        print(f"Needs root and the packages {' '.join(missing or PACKAGES.values())}", file=sys.stderr)
        return 2
    KEPT.mkdir(parents=True, exist_ok=True)
    make_base()
    build()
    with tempfile.TemporaryDirectory(prefix="expedite-image-") as name, contextlib.ExitStack() as stack:
        directory, port = Path(name), servers.free_port()
        environment = {
            "DATABASE_URL": stack.enter_context(servers.postgresql(directory)),
            "CELERY_BROKER_URL": stack.enter_context(servers.redis(directory)),
            "SECRET_KEY": "image-test-" + "x" * 50,
            "CREDENTIAL_KEYS": "dGVzdHMtdGVzdHMtdGVzdHMtdGVzdHMtdGVzdHMtISE=",
            "TOKEN_PEPPER": "image-test",
            "LOG_JSON": "true",
            "METRICS_NETWORKS": "127.0.0.1/32",
        }
        served = stack.enter_context(serve(directory, environment))
        step(f"in the container as {served.run('id', '-un').strip()}")
        assert served.run("id", "-un").strip() == "expedite"
        step("migrate")
        served.run(*commands()["migrate"])
        step("web, worker, beat")
        site = json.loads(buildah("inspect", IMAGE, capture_output=True).stdout)["OCIv1"]["config"]["Cmd"]
        served.start("web", *[f"127.0.0.1:{port}" if word == "0.0.0.0:8000" else word for word in site])
        for part in ("worker", "beat"):
            served.start(part, *commands()[part])
        url = f"http://127.0.0.1:{port}"
        until(lambda: _answers(f"{url}/readyz"), 120, "ready: database, broker, tick, workers", served)
        print(json.dumps(requests.get(f"{url}/readyz", timeout=10).json(), indent=1))
        page = requests.get(f"{url}/sign-in/", timeout=10)
        style = requests.get(f"{url}/static/web/{_style(page.text)}", timeout=10)
        assert page.status_code == style.status_code == 200, (page.status_code, style.status_code)
        assert "expedite_ticks_total" in requests.get(f"{url}/metrics", timeout=10).text
        for part in ("web", "worker", "beat"):
            users = {os.stat(f"/proc/{pid}").st_uid for pid in served.inside(part)}
            assert users and 0 not in users, f"{part} runs as {users}"
        step("SIGTERM ends each in order")
        for part in ("beat", "worker", "web"):
            print(f"{part}: status {served.terminate(part)}")
        for part in ("web", "worker", "beat"):
            for line in served.log(part).read_text().splitlines():
                json.loads(line)
    print("The image serves.")
    return 0


def _answers(url: str) -> bool:
    try:
        return requests.get(url, timeout=10).status_code == 200
    except requests.RequestException:
        return False


def _style(page: str) -> str:
    """The first style sheet of our own that a page names, below static/web/."""
    return page.split('href="/static/web/', 1)[1].split('"', 1)[0]


if __name__ == "__main__":
    raise SystemExit(main())
