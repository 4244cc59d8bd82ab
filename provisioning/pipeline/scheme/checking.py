"""What must hold between the parts of a scheme: one that would break the promises of a network is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme.values import CLASS_DEFAULT, ClassTemplate, PolicyTemplate, Scheme


def check(scheme: Scheme) -> None:
    """Return nothing when the scheme is sound; raise InvalidInput with path and reason when it is not."""
    _each_once("classes", "name", (found.name for found in scheme.classes))
    _each_once("classes", "abbreviation", (found.abbreviation for found in scheme.classes))
    _each_once("classes", "DSCP", (found.dscp for found in scheme.classes))
    for index, service in enumerate(scheme.classes):
        if service.pool is not None and service.pool not in scheme.pools:
            raise InvalidInput(f"no pool {service.pool!r}", field=f"classes[{index}].pool")
    for scope in ("access", "core"):
        total = sum(getattr(pool, scope).percent for pool in scheme.pools.values())
        if total > 100:
            raise InvalidInput(f"the pools together take {total} % of a link", field=f"pools.*.{scope}")
    for policy in scheme.policies.values():
        _check_policy(scheme, policy)
    for path, name in (
        ("core", scheme.core),
        *((f"cases.{case}", name) for case, name in scheme.cases.items()),
    ):
        if name not in scheme.policies:
            raise InvalidInput(f"no policy {name!r}", field=path)
    for case, name in scheme.cases.items():
        _check_edge(scheme, f"cases.{case}", scheme.policies[name])
    _check_names(scheme)


def _check_policy(scheme: Scheme, policy: PolicyTemplate) -> None:
    path = f"policies.{policy.name}.classes"
    _each_once(path, "class", (found.class_name for found in policy.classes))
    if not policy.classes or policy.classes[-1].class_name != CLASS_DEFAULT:
        raise InvalidInput("class-default must be there and the last one", field=path)
    seen: list[frozenset[object]] = []
    for index, found in enumerate(policy.classes):
        here = f"{path}[{index}]"
        if found.class_name != CLASS_DEFAULT:
            if found.class_name not in scheme.class_maps:
                raise InvalidInput(f"no class-map {found.class_name!r}", field=f"{here}.class")
            matches = frozenset(scheme.class_maps[found.class_name].matches)
            if matches in seen:
                raise InvalidInput(
                    "an earlier class takes the same packets: never reached", field=f"{here}.class"
                )
            seen.append(matches)
        _check_class(scheme, found, here)


def _check_class(scheme: Scheme, found: ClassTemplate, here: str) -> None:
    if found.service is None:
        return
    pool = scheme.pool_of(found.service)
    if pool is not None and found.police is not None and found.police.percent != pool.access.percent:
        raise InvalidInput(
            f"polices {found.police.percent} % where the pool {pool.name} admits {pool.access.percent} %",
            field=f"{here}.police.percent",
        )
    if (
        pool is not None
        and found.strict_priority is not None
        and found.strict_priority.percent != pool.core.percent
    ):
        raise InvalidInput(
            f"queues {found.strict_priority.percent} %, the pool {pool.name} admits {pool.core.percent} %",
            field=f"{here}.strict_priority.percent",
        )


def _check_edge(scheme: Scheme, path: str, policy: PolicyTemplate) -> None:
    """Anything not authorised leaves an edge as DSCP 0 (D4.4.2v2 section 2.4.2), and queues are not for
    inputs.
    """
    if policy.classes[-1].set_dscp != 0:
        raise InvalidInput(f"{policy.name}: class-default must set DSCP 0 at an edge", field=path)
    for found in policy.classes:
        if found.strict_priority is not None or found.random_detect is not None:
            raise InvalidInput(
                f"{policy.name}: class {found.class_name} queues, which no input can", field=path
            )
        pool = scheme.pool_of(found.service) if found.service is not None else None
        if pool is not None and (found.police is None or found.police.exceed != "drop"):
            raise InvalidInput(
                f"{policy.name}: class {found.class_name} admits unpoliced traffic", field=path
            )


def _check_names(scheme: Scheme) -> None:
    class_map = scheme.class_maps.get(scheme.names["filtered_class_map"])
    if class_map is None:
        raise InvalidInput("no such class-map", field="names.filtered_class_map")
    if not any(match.value == scheme.names["filtered_access_list"] for match in class_map.matches):
        raise InvalidInput(f"{class_map.name} does not match it", field="names.filtered_access_list")
    if scheme.names["filtered_policy"] != scheme.cases["filtered"]:
        raise InvalidInput("not the policy of the case filtered", field="names.filtered_policy")


def _each_once(path: str, what: str, values: Iterable[object]) -> None:
    for value, times in Counter(values).items():
        if times > 1:
            raise InvalidInput(f"{what} {value!r} occurs {times} times", field=path)
