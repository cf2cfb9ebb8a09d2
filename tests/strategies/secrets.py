"""Secrets that nobody ever used: drawn in the forms of fifty services and habits, none of them whole in this file."""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Callable

HEX = "0123456789abcdef"
ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "B": string.ascii_letters + string.digits + "+/",
    "D": string.digits,
    "H": HEX,
    "L": string.ascii_lowercase + string.digits,
    "M": string.ascii_lowercase,
    "U": string.ascii_uppercase + string.digits,
    "W": string.ascii_letters + string.digits + "_-",
    "Z": string.ascii_uppercase + "234567",
}
_DRAWN = re.compile(r"<([A-Z])(\d+)>")  # `<A36>` is 36 letters and digits
WORDS = (
    *("correct", "horse", "battery", "staple", "winter", "dragon"),
    *("monkey", "purple", "sunshine", "harbour", "violet", "cactus"),
)

# Tokens that tell by themselves what they are.
TOKENS: dict[str, tuple[str, ...]] = {
    "anthropic": ("sk-ant-api03-<W86>AA", "sk-ant-oat01-<W86>AA"),
    "openai": ("sk-proj-<W74>T3BlbkFJ<W74>", "sk-<A20>T3BlbkFJ<A20>", "sk-svcacct-<W60>"),
    "openrouter": ("sk-or-v1-<H64>",),
    "aws": ("AKIA<Z16>", "ASIA<Z16>"),
    "github": ("ghp_<A36>", "gho_<A36>", "ghs_<A36>", "github_pat_<A22>_<A59>"),
    "gitlab": ("glpat-<W20>", "gldt-<W20>", "glptt-<H40>"),
    "slack": ("xoxb-<D12>-<D13>-<A24>", "xoxp-<D12>-<D12>-<D13>-<H32>", "xapp-1-A<U10>-<D13>-<H64>"),
    "slack webhook": ("https://hooks.slack.com/services/T<U9>/B<U10>/<A24>",),
    "stripe": ("sk_live_<A24>", "rk_live_<A99>", "sk_test_51<A97>", "whsec_<A32>"),
    "google": ("AIza<W35>", "GOCSPX-<W28>", "ya29.a0<W160>", "1//0<W60>"),
    "npm": ("npm_<A36>",),
    "python index": ("pypi-AgEIcHlwaS5vcmc<W150>",),
    "hugging face": ("hf_<A34>",),
    "groq": ("gsk_<A52>",),
    "replicate": ("r8_<A37>",),
    "nvidia": ("nvapi-<W64>",),
    "langsmith": ("lsv2_pt_<H32>_<H10>",),
    "twilio": ("SK<H32>",),
    "telegram": ("<D9>:AA<W33>",),
    "discord": ("MTA<A21>.G<W5>.<W38>", "https://discord.com/api/webhooks/<D18>/<W68>"),
    "sendgrid": ("SG.<W22>.<W43>",),
    "mailgun": ("key-<H32>", "<H32>-<H8>-<H8>"),
    "mailchimp": ("<H32>-us14",),
    "brevo": ("xkeysib-<H64>-<A16>",),
    "resend": ("re_<A8>_<A24>",),
    "notion": ("ntn_<A46>", "secret_<A43>"),
    "figma": ("figd_<W40>",),
    "supabase": ("sbp_<H40>", "sb_secret_<W31>"),
    "jwt": ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIx<W60>.<W43>",),
    "heroku": ("HRKU-AA<W58>",),
    "netlify": ("nfp_<A36>",),
    "fly": ("fo1_<W43>", "fm2_<A120>"),
    "render": ("rnd_<A28>",),
    "planetscale": ("pscale_tkn_<W43>", "pscale_pw_<W43>"),
    "digitalocean": ("dop_v1_<H64>",),
    "azure": ("<A3>8Q~<W34>",),
    "databricks": ("dapi<H32>",),
    "vault": ("hvs.CAES<W90>",),
    "terraform": ("<A14>.atlasv1.<W67>",),
    "pulumi": ("pul-<H40>",),
    "docker": ("dckr_pat_<W27>",),
    "linear": ("lin_api_<A40>",),
    "atlassian": ("ATATT3xFfGF0<W180>",),
    "airtable": ("pat<A14>.<H64>",),
    "shopify": ("shpat_<H32>",),
    "postman": ("PMAK-<H24>-<H34>",),
    "new relic": ("NRAK-<U27>",),
    "grafana": ("glsa_<A32>_<H8>", "glc_<A60>"),
    "sentry": ("sntryu_<H64>",),
    "sonar": ("squ_<H40>", "sqp_<H40>"),
    "rubygems": ("rubygems_<H48>",),
    "tailscale": ("tskey-auth-k<A11>CNTRL-<A32>",),
    "age": ("AGE-SECRET-KEY-1<U58>",),
}
# What is a secret only by the name that it is given to.
NAMED: dict[str, tuple[str, ...]] = {
    "api key": ("<H32>", "<A40>", "<H8>-<H4>-4<H3>-a<H3>-<H12>", "<L40>", "<A24>"),
    "token": ("<H40>", "<A32>", "<L52>", "<A20>", "<W64>", "<L12>", "<L8>"),
    "secret": ("<A32>", "<B43>=", "<H64>", "<A20>", "<W24>"),
    "aws secret": ("<B40>",),
    "azure storage": ("<B86>==",),
    "datadog": ("<H32>", "<H40>"),
    "cloudflare": ("<W40>", "<H37>"),
}
# How people choose passwords: a word and digits, letters only, with signs that shells and URLs know otherwise.
HABITS: tuple[Callable[[random.Random], str], ...] = (
    lambda draw: draw.choice(WORDS) + str(draw.randrange(10, 99)),
    lambda draw: draw.choice(WORDS) + draw.choice(WORDS),
    lambda draw: draw.choice(WORDS).capitalize() + str(draw.randrange(1990, 2026)) + "!",
    lambda draw: f"Tr0ub{draw.randrange(10)}dor&{draw.randrange(10)}x",
    lambda draw: f"{draw.choice(WORDS)}-{draw.choice(WORDS)}-{draw.randrange(100)}",
    lambda draw: drawn("<A16>", draw),
    lambda draw: drawn("<A6>$<A5>%<A4>", draw),
    lambda draw: drawn("<A5>#<A6>", draw),
    lambda draw: drawn("<A4>;<A3>,<A5>", draw),
)
KEY_TITLES = ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY")


def drawn(form: str, draw: random.Random) -> str:
    """Fill a form such as `ghp_<A36>`."""
    return _DRAWN.sub(lambda match: _characters(match[1], int(match[2]), draw), form)


def token(kind: str, draw: random.Random) -> str:
    """Draw a token of a service."""
    return drawn(draw.choice(TOKENS[kind]), draw)


def named(kind: str, draw: random.Random) -> str:
    """Draw what only its name makes a secret."""
    return drawn(draw.choice(NAMED[kind]), draw)


def password(draw: random.Random, without: str = "") -> str:
    """Draw a password of one of the habits, without signs that cannot stand where it is put."""
    return "".join(sign for sign in draw.choice(HABITS)(draw) if sign not in without)


def private_key(draw: random.Random, width: int = 64) -> str:
    """Draw the block of a private key."""
    title = draw.choice(KEY_TITLES)
    lines = [_characters("B", width, draw) for _ in range(draw.randrange(4, 26))]
    last = _characters("B", draw.randrange(1, width), draw) + "="
    return "\n".join([f"-----BEGIN {title}-----", *lines, last, f"-----END {title}-----"])


def armoured_key(draw: random.Random) -> str:
    """Draw the private key of a mail program, with its checksum."""
    lines = "\n".join(_characters("B", 64, draw) for _ in range(12))
    title = "PGP PRIVATE KEY BLOCK"
    return f"-----BEGIN {title}-----\n\n{lines}\n={_characters('B', 4, draw)}\n-----END {title}-----"


def encoded(text: str) -> str:
    """Give a text in base64."""
    return base64.b64encode(text.encode()).decode()


def _characters(alphabet: str, number: int, draw: random.Random) -> str:
    """Draw characters that look like a machine's: a letter and a digit are among them wherever there is room."""
    letters = ALPHABETS[alphabet]
    found = "".join(draw.choices(letters, k=number))
    if number >= 8 and alphabet in "ABHLUW" and (found.isalpha() or found.isdigit()):
        return _characters(alphabet, number, draw)
    return found
