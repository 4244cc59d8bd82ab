"""`make test`: brings up what the tests talk to and runs them, on SQLite where that differs, then on PostgreSQL.

Everything is real and private to this run: a PostgreSQL cluster and a Redis server on unix sockets or loopback ports of
their own, in a temporary directory that is removed at the end. Missing programs are installed from the system's
packages when this is Debian or Ubuntu and we are root; otherwise the command to type is printed and we stop.
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parent.parent
# What behaves differently on SQLite: anything that locks, claims, or queries by range. The rest runs once, also what is
# marked `once` in these rooms.
ON_SQLITE = ["tests/services", "tests/jobs", "tests/inventory", "tests/api"]
# `make test DEEP=1 ONLY=name`: what searches long for what nobody thought of. Each stays under an hour on two cores.
DEEP = {
    "reading": ["tests/pipeline/ios", "tests/pipeline/mqc", "-m", "hypothesis and not deep"],
    "planning": ["tests/pipeline/diff", "tests/pipeline/change", "-m", "hypothesis and not deep"],
    "rest": [
        "tests/pipeline",
        *(f"--ignore=tests/pipeline/{room}" for room in ("ios", "mqc", "diff", "change")),
        "-m",
        "hypothesis and not deep",
    ],
    "oracles": [
        "tests/pipeline/whole",
        "tests/pipeline/failures",
        "tests/pipeline/recurrence",
        "tests/pipeline/topology/test_trees.py",
        "tests/services/topology/test_ledger_follows.py",
        "tests/services/records/test_recheck_at_size.py",
    ],
    "courses": ["tests/services/test_many_at_once.py", "tests/services/requests/test_changing_oracle.py"],
    "sampled": [
        "tests/services/test_every_end.py",
        "tests/services/test_follow_ups.py",
        "tests/services/test_unsaved_courses.py",
        "tests/pipeline/change/test_blocks.py",
        "tests/api/test_true_of_rows.py",
        "tests/api/test_schema.py",
    ],
    "faults": ["tests/services/test_fault_matrix.py", "tests/services/test_faults_over_ssh.py"],
    "fuzz": ["tests/fuzz", "-m", "deep", "-s"],
    "marked": [
        "tests",
        "-m",
        "deep",
        "--ignore=tests/services/test_faults_over_ssh.py",
        "--ignore=tests/fuzz",
    ],
}
# Much of what goes over SSH is waiting; elsewhere no test is too long, and each worker begins with one of the two longest.
DEEP_WORKERS = {"faults": "3"}
# Much of a test over SSH is waiting: four workers keep two cores busy. Each begins with a stretch of neighbouring
# files, so what a module shares is made once or twice, and who is done first takes over from who is not.
WORKERS = ["-n", "4", "--dist", "worksteal"]
NO_TESTS = 5  # pytest's status when it was given nothing to run
SOME_FAILED = 1  # pytest's status of a run that came to its end
PACKAGES = {
    "postgres": "postgresql",
    "redis-server": "redis-server",
    "chromium": "chromium",
    "curl": "curl",
    "ip": "iproute2",
    "nft": "nftables",
    "promtool": "prometheus",
    "docker-compose": "docker-compose",
    "systemd-analyze": "systemd",
}

# What tests skip without, saying so. Debian starts what it installs: a machine that runs services is not given another door.
OPTIONAL = {"sshd": "openssh-server"}


def find(program: str) -> str | None:
    """The path of a program, also where Debian hides PostgreSQL's own."""
    found = shutil.which(program)
    if found:
        return found
    hidden = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), key=lambda path: int(path.parts[4]))
    return str(hidden[-1]) if hidden else None


def find_browser() -> str | None:
    return find("chromium") or find("chromium-browser") or find("google-chrome")


def missing() -> list[str]:
    return [
        package
        for program, package in PACKAGES.items()
        if not (find_browser() if program == "chromium" else find(program))
    ]


def install_missing() -> None:
    """Install what is missing, or say what to type. Exits with status 2 when it cannot."""
    install_optional()
    packages = missing()
    if not packages:
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {', '.join(packages)} from the system's packages ...", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment, stdout=subprocess.DEVNULL)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
            check=True,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        packages = missing()
    if packages:
        print(f"The tests need these packages: {' '.join(packages)}", file=sys.stderr)
        print(f"Install them first:  sudo apt-get install {' '.join(packages)}", file=sys.stderr)
        raise SystemExit(2)


def install_optional() -> None:
    """Install what tests can do without, where that is safe: as root, and where no systemd would start it for good."""
    packages = [package for program, package in OPTIONAL.items() if not find(program)]
    if (
        not packages
        or os.geteuid() != 0
        or not shutil.which("apt-get")
        or Path("/run/systemd/system").exists()
    ):
        return
    print(f"Installing {', '.join(packages)} from the system's packages ...", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *packages]):
        subprocess.run(["apt-get", *command], check=False, env=environment, stdout=subprocess.DEVNULL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def unprivileged() -> list[str]:
    """PostgreSQL refuses to run as root: the command prefix that makes it another user."""
    if os.geteuid() != 0:
        return []
    return ["runuser", "-u", "postgres", "--"]


def owner() -> str:
    return "postgres" if os.geteuid() == 0 else getpass.getuser()


@contextlib.contextmanager
def postgresql(directory: Path) -> Iterator[str]:
    """A private cluster; yields its DATABASE_URL."""
    data = directory / "postgresql"
    data.mkdir()
    if os.geteuid() == 0:
        os.chmod(directory, 0o755)
        os.chown(data, pwd.getpwnam("postgres").pw_uid, pwd.getpwnam("postgres").pw_gid)
    initdb, server = find("initdb"), find("postgres")
    assert initdb and server, "installed above"
    subprocess.run(
        [
            *unprivileged(),
            initdb,
            "-D",
            str(data / "data"),
            "-U",
            "postgres",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
    )
    port = free_port()
    log = (directory / "postgresql.log").open("wb")
    process = subprocess.Popen(
        [
            *unprivileged(), server, "-D", str(data / "data"), "-p", str(port), "-h", "127.0.0.1", "-k", str(data),
            "-c", "fsync=off", "-c", "max_connections=200", "-c", "full_page_writes=off",
        ],
        stdout=log,
        stderr=log,
        cwd="/",
    )  # fmt: skip
    try:
        wait_for(port, process, directory / "postgresql.log")
        yield f"postgres://postgres@127.0.0.1:{port}/postgres"
    finally:
        # Not a signal to the process we started: as root that is `runuser`, which keeps it to itself.
        control = find("pg_ctl")
        assert control, "comes with initdb"
        subprocess.run(
            [*unprivileged(), control, "-D", str(data / "data"), "-m", "immediate", "-w", "stop"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd="/",
        )
        process.wait(timeout=30)


@contextlib.contextmanager
def redis(directory: Path) -> Iterator[str]:
    """A private Redis server; yields its URL."""
    server = find("redis-server")
    assert server, "installed above"
    port = free_port()
    process = subprocess.Popen(
        [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(directory)],
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_for(port, process, None)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path | None) -> None:
    for _attempt in range(300):
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    detail = log.read_text(errors="replace") if log else ""
    raise SystemExit(f"A server the tests need did not start on port {port}.\n{detail}")


def pytest(arguments: list[str], environment: dict[str, str]) -> int:
    # Named here because an exported DJANGO_SETTINGS_MODULE would win over pytest's configuration.
    everything = {"PROPERTIES": "ci", **os.environ, **environment, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=everything, check=False
    ).returncode


def compiled_once(directory: Path) -> dict[str, str]:
    """Where Python keeps no compiled modules, keep them for this run: its workers and hundreds of processes share them."""
    if not sys.dont_write_bytecode:
        return {}
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(directory / "bytecode")}


def migrated_once(environment: dict[str, str]) -> dict[str, str]:
    """Make the tables once, in a database that each worker copies: half a minute of work less in each."""
    url = environment["DATABASE_URL"]
    if url.startswith("postgres"):
        template = "expedite_template"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {template}")
        url = f"{url.rpartition('/')[0]}/{template}"
    else:
        template = url.removeprefix("sqlite:///")
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    variables = {**os.environ, **environment, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    subprocess.run(command, check=True, cwd=ROOT, env=variables)
    return {"TEST_TEMPLATE": template}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test", description=__doc__)
    parser.add_argument("arguments", nargs="*", help="passed to pytest (make test ARGS='tests/pipeline -x')")
    parser.add_argument(
        "--deep", action="store_true", help="the long searches, 20,000 examples of a property"
    )
    parser.add_argument("--only", choices=[*DEEP], help="one of the long searches")
    options, rest = parser.parse_known_args()
    chosen = [*options.arguments, *rest]
    if options.only and not options.deep:
        parser.error("--only chooses among the long searches: say --deep (make test DEEP=1 ONLY=...) too")
    install_missing()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started and made goes with us
    workers = WORKERS if not chosen else []
    with tempfile.TemporaryDirectory(prefix="expedite-test-") as name, contextlib.ExitStack() as stack:
        directory = Path(name)
        state = {"STATE_DIR": str(directory / "state"), **compiled_once(directory)}
        embedded = 0
        if not chosen and not options.deep:
            print("== On SQLite, the embedded default: what locks, claims or queries by range", flush=True)
            folders = [folder for folder in ON_SQLITE if (ROOT / folder).is_dir()]
            template = migrated_once(state | {"DATABASE_URL": f"sqlite:///{directory / 'template.sqlite3'}"})
            embedded = pytest(
                [*workers, *folders, "-m", "not postgres and not redis and not browser and not once"],
                state | template,
            )
            if embedded not in (0, SOME_FAILED):
                return embedded
            # What is red here must not hide what is red there: both are told in one run.
            red = " (some failed on SQLite, above: this run ends red)" if embedded else ""
            print(f"== On PostgreSQL and Redis: everything{red}", flush=True)
        environment = {
            **state,
            "DATABASE_URL": stack.enter_context(postgresql(directory)),
            "REDIS_URL": stack.enter_context(redis(directory)),
            "CHROMIUM": find_browser() or "",
        }
        if options.deep:
            return search(chosen, options.only, environment)
        template = migrated_once(environment) if workers else {}
        # Here nothing should be left out: say what is.
        return pytest([*workers, *chosen, "-rfEs"], environment | template) or embedded


def search(chosen: list[str], only: str | None, environment: dict[str, str]) -> int:
    """The long searches one after another, with the arguments that were given; without a search the arguments say what is run
    as deeply. Returns the first status that is not 0.
    """
    groups = (
        {"chosen": []} if chosen and not only else {name: DEEP[name] for name in ([only] if only else DEEP)}
    )
    statuses = []
    for name, arguments in groups.items():
        print(f"== Deep: {name}", flush=True)
        workers = ["-n", DEEP_WORKERS.get(name, "2"), "--dist", "loadgroup"]
        status = pytest(
            [*arguments, *chosen, *workers, "--timeout", "0"],
            environment | {"PROPERTIES": "deep"},
        )
        statuses.append(0 if status == NO_TESTS else status)
    return next((status for status in statuses if status), 0)


if __name__ == "__main__":
    raise SystemExit(main())
