"""What must hold between the parts of a scheme: one that would break the promises of a network is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme.shadows import check_reach
from provisioning.pipeline.scheme.shares import Pool
from provisioning.pipeline.scheme.templates import CLASS_DEFAULT, ClassTemplate, PolicyTemplate
from provisioning.pipeline.scheme.values import Scheme

UNPOLICED = "premium-unpoliced"


def check(scheme: Scheme) -> None:
    """Return nothing when the scheme is sound; raise InvalidInput with path and reason when it is not."""
    _each_once("classes", "name", (found.name for found in scheme.classes))
    _each_once("classes", "abbreviation", (found.abbreviation for found in scheme.classes))
    _each_once("classes", "DSCP", (dscp for found in scheme.classes for dscp in found.dscps))
    for index, service in enumerate(scheme.classes):
        if service.pool is not None and service.pool not in scheme.pools:
            raise InvalidInput(f"no pool {service.pool!r}", field=f"classes[{index}].pool")
        strange = [dscp for dscp in service.guarded if dscp not in service.dscps]
        if strange:
            raise InvalidInput(
                f"DSCP {strange[0]} is none of {service.name}", field=f"classes[{index}].guarded"
            )
        pool = None if service.pool is None else scheme.pools[service.pool]
        if pool is not None and pool.core is None and service.admission == "path":
            raise InvalidInput(
                f"the pool {pool.name} has no core share, and {service.name} is charged along its path",
                field=f"pools.{pool.name}.core",
            )
        if (
            pool is not None
            and pool.border is None
            and service.ends == "outside"
            and service.admission == "path"
        ):
            raise InvalidInput(
                f"the pool {pool.name} has no border share, and {service.name} is charged where it leaves the domain",
                field=f"pools.{pool.name}.border",
            )
    if scheme.rest not in {found.name for found in scheme.classes}:
        raise InvalidInput(f"no class {scheme.rest!r}", field="rest")
    if (
        scheme.rest_dscp not in scheme.service_class(scheme.rest).dscps
        or scheme.rest_dscp in scheme.premium_dscps
    ):
        raise InvalidInput(f"DSCP {scheme.rest_dscp} is not one that anybody may send", field="rest")
    if not scheme.families or not set(scheme.families) <= {4, 6}:
        raise InvalidInput("IP versions are 4 and 6", field="families")
    _check_sums(scheme)
    _check_link_lists(scheme)
    for policy in scheme.policies.values():
        _check_policy(scheme, policy)
    for kind, chosen in scheme.outputs.members():
        for name in chosen.all_names:
            _known(scheme, name, "core" if kind == "core" else f"outputs.{kind}")
    for case, chosen in scheme.case_choices.items():
        for name in chosen.all_names:
            _known(scheme, name, f"cases.{case}")
            check_edge(scheme, f"cases.{case}", scheme.policies[name])


def _check_link_lists(scheme: Scheme) -> None:
    """What only says where a packet comes from would let in every marking the neighbour sends (ios-facts 5.4)."""
    for name, held in scheme.class_maps.items():
        bare = held.dscps == frozenset(range(64)) or held.mode == "match-any"
        if held.link_list is not None and (bare or held.dscps & scheme.premium_dscps):
            raise InvalidInput(
                "the link's own addresses need a DSCP beside them, and none that is guarded",
                field=f"class_maps.{name}.match",
            )


def _check_sums(scheme: Scheme) -> None:
    for scope in ("access", "core", "border"):
        shares = [getattr(pool, scope) for pool in scheme.pools.values()]
        total = sum((share.percent or Decimal(0) for share in shares if share is not None), Decimal(0))
        if total > 100:
            raise InvalidInput(f"the pools together take {total} % of a link", field=f"pools.*.{scope}")


def _known(scheme: Scheme, name: str, path: str) -> None:
    if name not in scheme.policies:
        raise InvalidInput(f"no policy {name!r}", field=path)


def _check_policy(scheme: Scheme, policy: PolicyTemplate) -> None:
    path = f"policies.{policy.name}.classes"
    _each_once(path, "class", (found.class_name for found in policy.classes))
    if not policy.classes or policy.classes[-1].class_name != CLASS_DEFAULT:
        raise InvalidInput("class-default must be there and the last one", field=path)
    for index, found in enumerate(policy.classes):
        here = f"{path}[{index}]"
        if found.class_name != CLASS_DEFAULT and found.class_name not in scheme.class_maps:
            raise InvalidInput(f"no class-map {found.class_name!r}", field=f"{here}.class")
        for service in found.services:
            scheme.service_class(service)
        if found.child is not None and (found.child not in scheme.policies or found.child == policy.name):
            raise InvalidInput(f"no other policy {found.child!r}", field=f"{here}.child")
        if found.child is not None and found.shape is None and found.police is None:
            raise InvalidInput("a policy inside a class needs a shaper around it", field=f"{here}.child")
        _check_queue(scheme, found, here)
    check_reach(scheme.class_maps, policy)
    _check_queue_sum(policy, path)


def _check_queue(scheme: Scheme, found: ClassTemplate, here: str) -> None:
    if found.strict_priority is not None and found.bandwidth is not None:
        raise InvalidInput(
            "a class is strict priority or has a bandwidth, not both", field=f"{here}.bandwidth"
        )
    bare = found.strict_priority is not None and not found.strict_priority.policed
    if bare and scheme.excepted(UNPOLICED) is not None:
        # `priority` takes no rate on some platforms: neither an edge nor the queue would hold anything back.
        raise InvalidInput(
            "nothing would bound this queue: no edge polices, so it has to be policed",
            field=f"{here}.strict_priority",
        )
    profiles = () if found.random_detect is None else found.random_detect.profiles
    _each_once(f"{here}.random_detect", "DSCP", (profile.dscp for profile in profiles))
    limit = found.queue_limit
    for index, profile in enumerate(profiles):
        if limit is not None and profile.maximum > limit.packets:
            raise InvalidInput(
                f"drops begin to be certain at {profile.maximum} packets, the queue holds {limit.packets}",
                field=f"{here}.random_detect.profiles[{index}].maximum",
            )
    for pool in _pools(scheme, found):
        if found.police is not None and found.police.percent not in (None, pool.access.percent):
            raise InvalidInput(
                f"polices {found.police.percent} % where the pool {pool.name} admits {pool.access.words}",
                field=f"{here}.police.percent",
            )
        share = None if pool.core is None else pool.core.percent
        if found.strict_priority is not None and share not in (None, found.strict_priority.percent):
            raise InvalidInput(
                f"queues {found.strict_priority.percent} %, the pool {pool.name} admits {share} %",
                field=f"{here}.strict_priority.percent",
            )


def _check_queue_sum(policy: PolicyTemplate, path: str) -> None:
    """Guarantees of one policy come out of one link; what remains after priority is shared by whole per cents."""
    guaranteed = remaining = Decimal(0)
    for found in policy.classes:
        if found.strict_priority is not None:
            guaranteed += found.strict_priority.percent
        if found.bandwidth is not None and found.bandwidth.value is not None:
            if found.bandwidth.kind == "percent":
                guaranteed += found.bandwidth.value
            else:
                remaining += found.bandwidth.value
    if guaranteed > 100 or remaining > 100:
        raise InvalidInput(f"the queues together take {max(guaranteed, remaining)} % of a link", field=path)
    kinds = {
        "remaining" if found.bandwidth.kind == "remaining" else "percent"
        for found in policy.classes
        if found.bandwidth is not None
    }
    if len(kinds) > 1:
        raise InvalidInput("all classes of a policy state bandwidth in one unit", field=path)


def check_edge(scheme: Scheme, path: str, policy: PolicyTemplate) -> None:
    """Anything not authorised leaves an edge as the scheme's rest (D4.4.2v2 section 2.4.2: DSCP 0), and queues are not
    for inputs. Premium traffic is policed unless the scheme declares that it is not.
    """
    if policy.classes[-1].set_dscp != scheme.rest_dscp:
        raise InvalidInput(
            f"{policy.name}: class-default must set DSCP {scheme.rest_dscp} at an edge", field=path
        )
    let_in: Counter[str] = Counter()
    for found in policy.classes:
        if found.queues or found.shape is not None:
            raise InvalidInput(
                f"{policy.name}: class {found.class_name} queues, which no input can", field=path
            )
        if found.per_flow and (
            scheme.policer != "grants" or scheme.class_maps[found.class_name].access_list is None
        ):
            raise InvalidInput(
                f"{policy.name}: class {found.class_name} is one per flow: that needs an access list, and grants",
                field=path,
            )
        premium = any(scheme.service_class(service).guarded for service in found.services)
        pools = _pools(scheme, found)
        if len({pool.name for pool in pools}) > 1:
            raise InvalidInput(f"{policy.name}: class {found.class_name} is of several pools", field=path)
        if premium and pools and scheme.excepted(UNPOLICED) is None and not _limits(scheme, found):
            raise InvalidInput(
                f"{policy.name}: class {found.class_name} admits unpoliced traffic", field=path
            )
        if pools and found.police is not None:
            let_in[pools[0].name] += 1
    for name, times in let_in.items():
        # Each class polices to the whole share: together they would let in a multiple of what is admitted.
        if times > 1 and scheme.policer == "cap":
            raise InvalidInput(
                f"{policy.name}: {times} classes police to the share of {name} each, which is {times} times what is "
                "admitted; police to grants",
                field="policer",
            )


def _limits(scheme: Scheme, found: ClassTemplate) -> bool:
    """Whether what exceeds the policer of the class is no premium traffic any more."""
    if found.police is None or found.police.exceed == "transmit":
        return False
    words = found.police.exceed.split(" ")
    return words[0] == "drop" or int(words[1]) not in scheme.premium_dscps


def _pools(scheme: Scheme, found: ClassTemplate) -> tuple[Pool, ...]:
    pools = (scheme.pool_of(service) for service in found.services)
    return tuple(pool for pool in pools if pool is not None)


def _each_once(path: str, what: str, values: Iterable[object]) -> None:
    for value, times in Counter(values).items():
        if times > 1:
            raise InvalidInput(f"{what} {value!r} occurs {times} times", field=path)
