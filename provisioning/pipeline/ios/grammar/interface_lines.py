"""Lines of an interface: its service-policies to the last word, of all others that such a command exists."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from provisioning.pipeline.ios.grammar.tokens import Tokens

_BINDING: Final = "service-policy"
_DIRECTIONS: Final = ("input", "output")
_NEAR: Final = 0.75
"""Of a word that resembles another so much it is taken to be that one, mistyped."""
_COMMANDS_WORDS: Final = """
    aal5mux aal5snap access-expression access-group access-session aggregate-port alps appletalk apollo arp
    async atm authentication auto autodetect autoselect autostate backup bandwidth bert bfd bgp-policy
    bridge-group broadcast bundle bundle-enable c2 cable cable-length carrier-delay cdp cef ces channel-group
    channel-protocol channelized class-vc clns clock compress conference connection controller cops
    cos-queue-group cpu-interface crc crypto ctunnel cts cut-through dampening dce-terminal-timing-enable
    decnet default default-name delay description device-tracking dfs dialer dialer-group diffserv dlsw dot1q
    dot1x down-when-looped drip dsl dsu dtr duplex e911 early-token-release encapsulation ethernet exit
    exec-timeout fair-queue fddi fec ffr fhrp flowcontrol frame-relay framing full-duplex garp giant glbp
    group-range gts half-duplex hardware history hold-queue hssi idle-timeout idle-time-period ignore
    ignore-dcd ilmi inarp interface-id invert ip ipv6 ipx isdn isis isl iso-igrp keepalive l2protocol
    l2protocol-tunnel lacp lan-name lapb lane lc lex lldp llc2 load-interval load-balance local local-lnm
    locaddr-priority logging loopback mab mac mac-address macro macsec map-group match max-reserved-bandwidth
    mdix media-type metering mka mls mlppp mop mpls mpoa mroute-cache mtu multilink-group multilink name nam
    ncia negotiation netbios network-clock nhrp nmsp no ntp nrzi-encoding oam oam-pvc ospfv3 otn pagp pcr peer
    physical-layer plim pos poc power power-savings ppp pppoe priority-group priority-queue private-vlan
    protected protocol proxy ptp pulse-time pvc pvc-bundle pvc-in-range qinq qos queue-limit queue-set radius
    random-detect range rate-limit rcv-queue redundancy ring-speed rmon routing-context rsvp sap-priority
    scramble sdlc sdllc secondary serial service service-module service-policy session shutdown signal smds
    smrp snapshot snmp snmp-server source-bridge source spanning-tree speed srp srr-queue stackwise-virtual
    standby storm-control stun subscriber svc switchport tag-switching tarp tcam threshold timeslots timeout
    transceiver transmit-clock-internal transmit-interface transmitter-delay transport trimble trunk trust
    tunnel tx-queue tx-ring-limit ubr ubr+ udld unnumbered vbr-nrt vbr-rt abr cbr vc-bundle vines
    virtual-profile virtual-template vlan vlan-id vlan-range vrf vrrp vtp wccp weighting wrr-queue x25 x29
    xconnect xns zone-member member vni bridge-domain rewrite address priority preempt track timers exit-vrrp
    cem address-family nat64 nat66 lisp mobility mvr monitor performance platform port-channel port-type
    ppp-compression hw-module et-analytics energywise esmc synchronous ssm tod tdm-group trace traffic-shape
    ip-source mediatrace voice-port voice vpdn wanphy wlan domain egress-expedite-queue srr-queue
    gigabitethernet cellular modem physical-interface pri-group
"""
_COMMANDS: Final = frozenset(_COMMANDS_WORDS.split())
"""First words of lines that an interface, or a mode inside it, has on some IOS: nothing of theirs is sent from here."""


def is_of_another(first: str) -> bool:
    """Whether a line of an interface that begins so binds nothing and takes no binding away."""
    return first in _COMMANDS and first not in (_BINDING, "no")


def check_interface_line(tokens: Tokens, *, of_a_router: bool) -> None:
    """One line under ``interface``. ``of_a_router`` when the text is a whole running-config, whose other features are not
    judged here.
    """
    first = tokens.next
    if first == _BINDING:
        _binding(tokens)
        return
    words = [word.lower() for word in tokens.words]
    if words[:2] == ["no", _BINDING]:
        tokens.refuse(
            f"`{' '.join(tokens.words)}` removes something; what is intended holds nothing that goes"
        )
    if first in _COMMANDS or first[:1] == "!":
        return
    if len(words) in (2, 3) and _resembles(first) and (len(words) == 2 or _directed(words[1])):
        tokens.refuse(f"`{tokens.words[0]}` is not understood: is `{_BINDING}` meant?")
    if not of_a_router:
        tokens.refuse(f"`{tokens.words[0]}` is not understood: no line of an interface begins so")


def _binding(tokens: Tokens) -> None:
    """``service-policy input|output NAME``, or another feature's (``type``, ``history``), which is left to it."""
    tokens.keyword({_BINDING})
    if "type" in tokens.words[1:3] or tokens.words[1:] == ["history"]:
        return
    if len(tokens.words) == 2 and tokens.next not in _DIRECTIONS:
        tokens.name("a policy-map")  # inside a PVC range or a bundle; the parser keeps it as a use
        return
    tokens.keyword(_DIRECTIONS)
    tokens.name("a policy-map")
    tokens.end()


def _directed(word: str) -> bool:
    return any(SequenceMatcher(None, word, each).ratio() >= _NEAR for each in _DIRECTIONS)


def _resembles(word: str) -> bool:
    return SequenceMatcher(None, word, _BINDING).ratio() >= _NEAR
