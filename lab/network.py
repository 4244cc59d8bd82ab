"""All routers of a specification as SSH servers in one process, with their NVRAM, keys and ports kept in a directory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from lab import policies
from lab.device import Device
from lab.errors import LabError, SpecError
from lab.names import interface_name
from lab.spec import RouterSpec
from lab.ssh import Port


class Network:
    """The routers and their control socket."""

    def __init__(self, specs: list[RouterSpec], state: Path) -> None:
        self.state = state
        for name in ("keys", "nvram"):
            (state / name).mkdir(parents=True, exist_ok=True)
        self.devices = {spec.name: self._device(spec) for spec in specs}
        self.ports: dict[str, Port] = {}
        self._control: asyncio.Server | None = None
        self._ticker: asyncio.Task[None] | None = None

    def _device(self, spec: RouterSpec) -> Device:
        path = self.state / "nvram" / f"{spec.name}.cfg"

        def persist(text: str) -> None:
            write_atomically(path, text)

        return Device(spec, nvram=path.read_text() if path.exists() else None, persist=persist)

    async def start(self) -> dict[str, dict[str, object]]:
        """Listen everywhere; returns what stands in routers.json."""
        remembered = self._remembered()
        for name, device in self.devices.items():
            port = Port(device, self.state / "keys", device.spec.port or remembered.get(name, 0))
            try:
                await port.start()
            except OSError:
                if device.spec.port:
                    raise
                port.port = 0  # the remembered port is taken by now
                await port.start()
            self.ports[name] = port
        self._publish()
        path = self.state / "control.sock"
        path.unlink(missing_ok=True)
        self._control = await asyncio.start_unix_server(self._serve, str(path), limit=2**24)
        path.chmod(0o600)
        self._ticker = asyncio.create_task(self._tick())
        return self.published()

    async def stop(self) -> None:
        """Cut everything."""
        if self._ticker is not None:
            self._ticker.cancel()
        if self._control is not None:
            self._control.close()
        for port in self.ports.values():
            await port.stop()
        (self.state / "control.sock").unlink(missing_ok=True)

    def published(self) -> dict[str, dict[str, object]]:
        """name -> host, port, host_key, username."""
        return {
            name: {
                "host": "127.0.0.1",
                "port": port.port,
                "host_key": port.host_key,
                "username": port.device.spec.username,
            }
            for name, port in self.ports.items()
        }

    def _publish(self) -> None:
        write_atomically(self.state / "routers.json", json.dumps(self.published(), indent=2) + "\n")

    def _remembered(self) -> dict[str, int]:
        path = self.state / "routers.json"
        if not path.exists():
            return {}
        return {name: int(entry["port"]) for name, entry in json.loads(path.read_text()).items()}

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(0.1)
            for device in self.devices.values():
                device.tick()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                try:
                    request = json.loads(line)
                    if not isinstance(request, dict):
                        raise SpecError("request", "must be an object")
                    answer = await self.operate(request)
                except (LabError, ValueError, KeyError) as error:
                    answer = {"error": f"{type(error).__name__}: {error}"}
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except ConnectionError:
            return  # the caller hung up
        finally:
            writer.close()

    async def operate(self, request: Mapping[str, object]) -> dict[str, object]:
        """Carry out one operation of the control socket; raises LabError."""
        op = str(request.get("op"))
        if op == "routers":
            return {"routers": self.published()}
        if op == "clear" and "router" not in request:
            for name in self.devices:
                await self._clear(name)
            return {"ok": True}
        name = str(request.get("router"))
        if name not in self.devices:
            raise SpecError("router", f"{name!r} is none of {', '.join(self.devices)}")
        device = self.devices[name]
        device.tick()
        if op == "state":
            return self._state(device)
        if op == "typed":
            return self._typed(device, request)
        if op == "fault":
            fault = request.get("fault")
            if not isinstance(fault, Mapping):
                raise SpecError("fault", "must be an object")
            device.faults.add(fault)
            if fault["kind"] == "unreachable":
                await self.ports[name].stop()
        elif op == "clear":
            await self._clear(name)
        elif op == "configure":
            return {"ok": True, "replies": configure(device, request.get("lines"))}
        elif op == "execute":
            session = device.open_session("console", privilege=15, console=True)
            try:
                return {"ok": True, "reply": session.execute(str(request.get("line")))}
            finally:
                session.close()
        elif op == "traffic":
            return self._traffic(device, request)
        elif op == "reload":
            device.reload()
        elif op == "save":
            device.save("console")
        elif op == "hostkey":
            await self.ports[name].new_host_key()
            self._publish()
            return {"ok": True, "host_key": self.ports[name].host_key}
        else:
            raise SpecError("op", f"{op!r} is unknown")
        return {"ok": True}

    async def _clear(self, name: str) -> None:
        self.devices[name].faults.items.clear()
        if not self.ports[name].listening:
            await self.ports[name].start()

    def _state(self, device: Device) -> dict[str, object]:
        return {
            "running": device.running_config(),
            "startup": device.startup,
            "sessions": [
                {"user": item.username, "line": item.line, "prompt": item.prompt} for item in device.sessions
            ],
            "unsaved": device.unsaved,
            "log": device.history,
            "asked": device.asked,
            "journal": device.journal,
            "syslog": device.syslog,
            "boot": device.boot_messages,
            "attachments": [
                {"interface": point[0], "pvc": point[1], "direction": point[2], "policy": policy}
                for point, policy in device.config.attachments()
            ],
            "faults": [item.kind for item in device.faults.items],
            "listening": self.ports[device.spec.name].listening,
        }

    def _typed(self, device: Device, request: Mapping[str, object]) -> dict[str, object]:
        """What was typed since so many lines: ``log`` in configuration mode, ``asked`` in exec mode."""
        log, asked = (int(str(request.get(name, 0))) for name in ("log", "asked"))
        return {"log": device.history[log:], "asked": device.asked[asked:]}

    def _traffic(self, device: Device, request: Mapping[str, object]) -> dict[str, object]:
        interface = interface_name(str(request.get("interface")))
        direction = str(request.get("direction"))
        if interface is None:
            raise SpecError("interface", f"{request.get('interface')!r} is no interface name")
        if direction not in ("input", "output"):
            raise SpecError("direction", f"{direction!r} is neither input nor output")
        packets = request.get("packets")
        if not isinstance(packets, list):
            raise SpecError("packets", "must be a list of objects")
        pvc = request.get("pvc")
        point = (interface, None if pvc is None else str(pvc), direction)
        table = policies.traffic(device, point, packets, float(str(request.get("seconds", 30))))
        return {"ok": True, "counters": {name: asdict(counters) for name, counters in table.items()}}


def configure(device: Device, lines: object) -> list[str]:
    """Another person's hand at the console: the lines in configuration mode; the reply to each."""
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise SpecError("lines", "must be a list of texts")
    session = device.open_session("console", privilege=15, console=True)
    try:
        session.enter_configuration()
        replies = [session.execute(line) for line in lines]
        if session.stack:
            session.leave_configuration()
        return replies
    finally:
        session.close()


def write_atomically(path: Path, text: str) -> None:
    """Replace a file as a whole."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text)
    fresh.replace(path)
