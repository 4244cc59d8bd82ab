"""A checked network file -> rows: idempotent, all or nothing, never deleting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction

from inventory.models import (
    AccessCase,
    AccessLink,
    CoreLink,
    Domain,
    Interface,
    LineCard,
    Nren,
    Peering,
    Pop,
    Prefix,
    Router,
)
from inventory.readers.entries import InterfaceEntry, NetworkFile, RouterEntry
from provisioning.errors import Conflict
from provisioning.models import Actor, Verb, Via
from provisioning.pipeline.scheme import Scheme
from provisioning.selectors import topology
from provisioning.selectors.authority import permit
from provisioning.selectors.quarantine import quarantined
from provisioning.selectors.schemes import scheme_of
from provisioning.services import audit, clock, credentials
from provisioning.services.inventory.absent import report_absent
from provisioning.services.inventory.breaking import note_moved, note_overcommitment
from provisioning.services.inventory.collecting import not_collecting
from provisioning.services.inventory.contradictions import (
    refuse_drivers_without_a_shell,
    refuse_held_interfaces,
    refuse_other_domains,
    refuse_overlapping_prefixes,
)
from provisioning.services.inventory.foreseeing import Foreseen, foresee
from provisioning.services.inventory.reckoning import reckon, reckon_again, reckon_ahead
from provisioning.services.inventory.report import ImportReport
from provisioning.services.inventory.resting import note_reservations
from provisioning.services.inventory.rows import RowBook
from provisioning.services.inventory.stranding import (
    exempt_of,
    fresh_obstacles,
    ground_of,
    promised,
    refuse_stranding,
)
from provisioning.services.topology.ahead import write_ahead
from provisioning.services.topology.locks import lock_domain, lock_links_of
from provisioning.services.topology.moving import record
from provisioning.services.topology.staging import Staging, is_much, stage, staged
from provisioning.services.topology.versions import bring_back, renew


@not_collecting()
def import_network(*, actor: Actor, network: NetworkFile, dry_run: bool = False) -> ImportReport:
    """Bring the rows to what `network` says and return what changed; on a dry run nothing stays written.

    A row that the file does not mention is reported as absent and kept. Changing the case or BW of a link
    that carries reservations is allowed and said in the report. What a file does not say about a router
    (management address, host key, serial, credentials) is left as it is.

    Raises:
        InvalidInput: no such scheme, one that is not sound with the policer and options of the file, or a router of a
            platform that no service configures.
        NotPermitted: the actor is neither NOC staff nor the command line.
        ReservationsStranded: the file takes from under a reservation what it needs (its link's case, what its
        router can do); links and reservations are named, nothing is written.
        Conflict: the file contradicts rows that it does not mention, or another import runs; nothing is
        written.
    """
    permit(actor, Verb.NETWORK)
    refuse_drivers_without_a_shell(network)
    bring_back()
    with staged() as staging:
        for attempt in range(TRIES + 1):
            foreseen = foresee(network) if attempt < TRIES else None
            try:
                if foreseen is not None and not foreseen.stranded and not dry_run and is_much(foreseen.ready):
                    _rehearse(network)
                    stage(foreseen.ready, staging, actor=actor, cause=_cause(network))
                with transaction.atomic():
                    report = _import(actor, network, dry_run, foreseen, staging)
                    if dry_run:
                        transaction.set_rollback(True)
            except _OtherwiseThanForeseen:
                continue
            except IntegrityError as error:
                raise Conflict(
                    "Another import changed the same rows at the same time; nothing was written."
                ) from error
            return report
    raise AssertionError("what is not foreseen cannot come otherwise")


TRIES = 3
"""How often an import is worked out beforehand, without a lock, because the network became another one meanwhile. Then it is
worked out under the locks.
"""


class _OtherwiseThanForeseen(Exception):
    """The rows are not those from which it was foreseen what the import comes to."""


def _cause(network: NetworkFile) -> str:
    """Where the file lies on this machine is nobody else's business: only its name is kept."""
    return f"network file {Path(network.source).name}"


def _rehearse(network: NetworkFile) -> None:
    """Raise what a file is refused for: before anything is brought over for it."""
    with transaction.atomic():
        _begin(network)
        _put_rows(RowBook(before_writing=lambda: lock_links_of(network.domain.name)), network)
        transaction.set_rollback(True)


def _begin(network: NetworkFile) -> None:
    lock_domain(network.domain.name)  # nobody else imports from here on; who decides does not wait yet
    refuse_other_domains(network)
    refuse_held_interfaces(network)


def _put_rows(book: RowBook, network: NetworkFile) -> tuple[Domain, Scheme, dict[str, Router]]:
    domain = _put_domain(book, network)
    scheme = scheme_of(domain)  # refuses a scheme, a policer or an option that no plan could be made with
    nrens = _put_nrens(book, network, domain)
    routers = _put_routers(book, network, domain)
    interfaces = {entry.label: _put_interface(book, entry, routers) for entry in network.interfaces}
    _put_links(book, network, domain, nrens, interfaces)
    report_absent(book, domain)
    book.write()  # charges and shares follow, whatever the rows say
    refuse_overlapping_prefixes()
    return domain, scheme, routers


def _import(
    actor: Actor, network: NetworkFile, dry_run: bool, foreseen: Foreseen | None, staging: Staging
) -> ImportReport:
    _begin(network)
    held = Domain.objects.filter(name=network.domain.name).first()
    ahead = None
    if foreseen is None:
        before = None if held is None else ground_of(held)
    elif (
        held is None
        or topology.number_of(held) != foreseen.version
        or exempt_of(held) != foreseen.before.exempt
    ):
        raise _OtherwiseThanForeseen
    else:
        before, ready = foreseen.before, foreseen.ready
        ahead = reckon_ahead(held, ready, staging.moved.values()) if write_ahead(ready) else None
    book = RowBook(before_writing=lambda: lock_links_of(network.domain.name))
    domain, scheme, routers = _put_rows(book, network)
    after = ground_of(domain)
    known = foreseen if foreseen is not None and foreseen.after == after else None
    if before is not None:
        since = promised(domain, without=() if known is None else known.asked)
        fresh = fresh_obstacles(before, after, since)
        refuse_stranding(fresh if known is None else {**known.stranded, **fresh})
    cause = _cause(network)
    now = clock.now()
    renewal = renew(
        domain,
        cause=cause,
        network=after.network,
        before=None if before is None else before.network,
        ready=None if foreseen is None else foreseen.ready,
        now=now,
        always=True,
        staging=staging,
    )
    if ahead is None or known is None:
        reckoned = reckon(domain, after.network, scheme, renewal.moved, now)
    else:
        reckoned = reckon_again(ahead, domain, after.network, scheme, renewal.moved, now)
    note_moved(book, domain, renewal.moved, reckoned.texts)
    note_reservations(book, network)
    note_overcommitment(book, domain, reckoned.over)
    record(
        actor,
        renewal.unrecorded,
        f"version {renewal.version.number}: {cause}, scheme {domain.scheme}",
    )
    _store_credentials(book, network, routers, actor)
    report = ImportReport(Path(network.source).name, domain.name, dry_run, book.reports)
    if report.changed:
        audit.record(
            actor=actor,
            action="inventory.import",
            obj=domain,
            reason=cause,
            before=None,
            after=report.as_dict(),
        )
    return report


def _store_credentials(book: RowBook, network: NetworkFile, routers: dict[str, Router], actor: Actor) -> None:
    """Keep the sign-ins of the file; last, as each is an audit event and the audit head is locked last. Where somebody in a
    browser, or by a token, has a router reached elsewhere and does not say how to sign in there, what is stored is given up.
    """
    for entry in network.routers:
        if entry.management is None or not entry.management.username:
            moved = credentials.REACHED_BY & set(book.changed_fields("router", entry.name))
            if (
                actor.via in (Via.WEB, Via.API)
                and moved
                and credentials.forget(actor=actor, router=routers[entry.name])
            ):
                book.remark(
                    "router", entry.name, "is reached elsewhere: its sign-in is given up, and needed anew"
                )
            continue
        outcome = credentials.store(
            actor=actor,
            router=routers[entry.name],
            username=entry.management.username,
            password=entry.management.password,
            enable=entry.management.enable,
        )
        book.note("credential", entry.name, outcome)


def _put_domain(book: RowBook, network: NetworkFile) -> Domain:
    entry = network.domain
    fields = {
        "asn": entry.asn,
        "prefix": entry.prefix,
        "scheme": entry.scheme,
        "classes": [vars(service_class) for service_class in entry.classes],
        "caps": dict(entry.caps),
        "policer": entry.policer,
        "options": dict(entry.options),
    }
    return book.put(Domain, "domain", entry.name, key={"name": entry.name}, fields=fields)


def _put_nrens(book: RowBook, network: NetworkFile, domain: Domain) -> dict[str, Nren]:
    nrens: dict[str, Nren] = {}
    for entry in network.nrens:
        fields = {"domain": domain, "country": entry.country, "provenance": entry.provenance}
        nren = nrens[entry.name] = book.put(Nren, "NREN", entry.name, key={"name": entry.name}, fields=fields)
        for prefix in entry.prefixes:
            book.put(Prefix, "prefix", str(prefix), key={"network": prefix}, fields={"nren": nren})
    return nrens


def _put_routers(book: RowBook, network: NetworkFile, domain: Domain) -> dict[str, Router]:
    countries = {entry.pop: entry.country for entry in network.routers}
    pops = {
        name: book.put(Pop, "PoP", name, key={"domain": domain, "name": name}, fields={"country": country})
        for name, country in countries.items()
    }
    return {entry.name: _put_router(book, entry, domain, pops[entry.pop]) for entry in network.routers}


def _put_router(book: RowBook, entry: RouterEntry, domain: Domain, pop: Pop) -> Router:
    fields: dict[str, Any] = {
        "domain": domain,
        "pop": pop,
        "platform": entry.platform,
        "ios": entry.ios,
        "roles": list(entry.roles),
        "driver": entry.driver,
        "provenance": entry.provenance,
    }
    if entry.serial:
        fields["serial"] = entry.serial
    if management := entry.management:
        fields["management_host"] = management.host
        fields["management_port"] = management.port
        fields["ssh_profile"] = management.ssh_profile
        if management.host_key:
            fields["host_key"] = management.host_key
    router = book.put(Router, "router", entry.name, key={"name": entry.name}, fields=fields)
    if "host_key" in book.changed_fields("router", entry.name):
        book.remark(
            "router", entry.name, "the pinned host key changes: make sure that the new one is the router's"
        )
    for slot, engine in entry.engines:
        name = f"{entry.name} slot {slot}"
        book.put(LineCard, "line card", name, key={"router": router, "slot": slot}, fields={"engine": engine})
    return router


def _put_interface(book: RowBook, entry: InterfaceEntry, routers: dict[str, Router]) -> Interface:
    fields = {
        "description": entry.description,
        "pvc": entry.pvc,
        "line_rate_bps": entry.line_rate_bps,
        "bw_bps": entry.bw_bps,
        "usable_bps": entry.usable_bps,
        "exempt_reason": entry.exempt_reason,
    }
    key = {"router": routers[entry.router], "name": entry.name}
    return book.put(Interface, "interface", entry.label, key=key, fields=fields)


def _put_links(
    book: RowBook,
    network: NetworkFile,
    domain: Domain,
    nrens: dict[str, Nren],
    interfaces: dict[str, Interface],
) -> None:
    # A file that was made before must not let in whom somebody shut out since.
    shut_out = quarantined(
        [access.name for access in network.access_links if access.case != AccessCase.NON_PARTICIPANT]
    )
    for access in network.access_links:
        stays_out = access.name in shut_out
        access_fields = {
            "nren": nrens[access.nren],
            "interface": interfaces[access.interface.label],
            "case": AccessCase.NON_PARTICIPANT if stays_out else access.case,
            "standing": access.standing,
            "standing_consent": access.standing_consent,
            "source_filter": access.source_filter,
            "agreement": access.agreement,
            "dscp_map": {str(ours): theirs for ours, theirs in access.dscp_map},
            "prefix": access.prefix,
            "provenance": access.provenance,
        }
        book.put(AccessLink, "access link", access.name, key={"name": access.name}, fields=access_fields)
        if stays_out:
            said = f"stays in quarantine, though the file says {access.case}: end that on the link's page"
            book.remark("access link", access.name, said)
    for core in network.core_links:
        core_fields = {
            "domain": domain,
            "a_interface": interfaces[core.a.label],
            "z_interface": interfaces[core.z.label],
            "metric": core.metric,
            "prefix": core.prefix,
            "provenance": core.provenance,
        }
        if core.down is not None:
            core_fields["down"] = core.down
        book.put(CoreLink, "core link", core.name, key={"name": core.name}, fields=core_fields)
    for peering in network.peerings:
        peering_fields = {
            "domain": domain,
            "peer": peering.peer,
            "interface": interfaces[peering.interface.label],
            "prefix": peering.prefix,
            "provenance": peering.provenance,
        }
        book.put(Peering, "peering", peering.name, key={"name": peering.name}, fields=peering_fields)
