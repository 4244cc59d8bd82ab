"""Nornir sends lines to routers; run by a Python of its own, which has nothing of ours. Prints the seconds it took.

`python push_nornir.py WORKERS`, with {name: {host, port, username, password, enable, lines}} on standard input.
"""

import json
import sys
import time

from nornir.core import Nornir
from nornir.core.inventory import ConnectionOptions, Defaults, Groups, Host, Hosts, Inventory
from nornir.core.plugins.connections import ConnectionPluginRegister
from nornir.plugins.runners import ThreadedRunner
from nornir_netmiko.tasks import netmiko_send_config


def send(task):
    """Every line, as the plugin sends them."""
    task.run(netmiko_send_config, config_commands=task.host["lines"], enable=True)


hosts = Hosts()
for name, each in json.load(sys.stdin).items():
    extras = {
        "secret": each["enable"],
        "use_keys": False,
        "allow_agent": False,
        "disabled_algorithms": {"pubkeys": ["rsa-sha2-256", "rsa-sha2-512"]},
    }
    hosts[name] = Host(
        name,
        hostname=each["host"],
        port=each["port"],
        username=each["username"],
        password=each["password"],
        platform="cisco_ios",
        data={"lines": each["lines"]},
        connection_options={"netmiko": ConnectionOptions(extras=extras)},
    )
ConnectionPluginRegister.auto_register()
nornir = Nornir(
    inventory=Inventory(hosts=hosts, groups=Groups(), defaults=Defaults()),
    runner=ThreadedRunner(num_workers=int(sys.argv[1])),
)
began = time.perf_counter()
result = nornir.run(task=send)
nornir.close_connections()
seconds = time.perf_counter() - began
assert not result.failed, {name: str(each.exception) for name, each in result.failed_hosts.items()}
print(seconds)
