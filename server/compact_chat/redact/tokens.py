"""Tokens that are recognized by their own format, in a text's long runs of letters and digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits
from typing import NamedTuple

from compact_chat.redact.spans import Span, anchored, branches, compiled

# The kinds of tokens, one line per format of a service.


class Kind(NamedTuple):
    """A kind of token: its placeholder name, its prefixes, and the pattern behind them."""

    name: str
    heads: tuple[str, ...]
    rest: str


# Never inside a longer word, except after an escaped line end, an escaped sign or a color.
NEW_WORD = r"(?:(?<![\w-]eyJ)|(?<=\\[nrtbf]eyJ)|(?<=%[\da-fA-F]{2}eyJ)|(?<=\dmeyJ))"
LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[\da-fA-F]{2})|(?<=\[\d\dm))"
# Prefixes are found by their first two or three characters, in runs of at least sixteen.
KINDS = (
    Kind("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Kind("aws-key", ("ABSK",), r"[A-Za-z0-9+/]{80,}+={0,2}"),
    Kind("alibaba-key", ("LTAI",), r"[A-Za-z0-9]{17,24}(?![A-Za-z0-9])"),
    Kind("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\w{30,}+(?>\.[\w-]{8,}+)*+"),
    Kind("github-token", ("github_pat_",), r"\w{40,}+"),
    Kind(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "gloas-"),
        r"[\w-]{20,}+(?>\.[\w-]{4,}+)*+",
    ),
    Kind("gitlab-token", ("glsoat-", "glft-", "glimt-", "glagent-", "glffct-"), r"[\w-]{20,}+(?>\.[\w-]{4,}+)*+"),
    Kind("slack-token", ("xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"), r"[\w%-]{10,}+"),
    Kind("slack-token", ("xapp-",), r"\d-[\w-]{10,}+"),
    Kind("stripe-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[A-Za-z0-9]{16,}+"),
    Kind("stripe-key", ("whsec_",), r"[A-Za-z0-9+/]{24,}+=*+"),
    Kind("anthropic-key", ("sk-ant-",), r"[\w-]{20,}+"),
    Kind("openrouter-key", ("sk-or-",), r"[\w-]{20,}+"),
    Kind("langfuse-key", ("sk-lf-",), r"[\w-]{20,}+"),
    Kind("openai-key", ("sk-",), r"(?:(?:proj|svcacct|admin)-[\w-]{20,}+|[A-Za-z0-9]{32,}+)"),
    Kind("openai-key", ("sess-",), r"[A-Za-z0-9]{40,}+"),
    Kind("elevenlabs-key", ("sk_",), r"[a-f0-9]{48}(?![A-Za-z0-9])"),
    Kind("google-key", ("AIza",), r"[\w-]{35,}+"),
    Kind("google-secret", ("GOCSPX-",), r"[\w-]{20,}+"),
    Kind("npm-token", ("npm_",), r"[A-Za-z0-9]{36,}+"),
    Kind("pypi-token", ("pypi-AgE",), r"[\w-]{40,}+"),
    Kind("rubygems-key", ("rubygems_",), r"[a-f0-9]{40,}+"),
    Kind("huggingface-token", ("hf_", "api_org_"), r"[A-Za-z0-9]{30,}+"),
    Kind("groq-key", ("gsk_",), r"[A-Za-z0-9]{20,}+"),
    Kind("xai-key", ("xai-",), r"[A-Za-z0-9]{40,}+"),
    Kind("perplexity-key", ("pplx-",), r"[A-Za-z0-9]{40,}+"),
    Kind("replicate-token", ("r8_",), r"[A-Za-z0-9]{32,}+"),
    Kind("nvidia-key", ("nvapi-",), r"[\w-]{40,}+"),
    Kind("cerebras-key", ("csk-",), r"[A-Za-z0-9]{40,}+"),
    Kind("together-key", ("tgp_v1_",), r"[\w-]{30,}+"),
    Kind("fireworks-key", ("fw_",), r"[A-Za-z0-9]{22,24}(?![A-Za-z0-9])"),
    Kind("langsmith-key", ("lsv2_pt_", "lsv2_sk_"), r"[a-f0-9]{32}_[a-f0-9]{10}"),
    Kind("pinecone-key", ("pcsk_",), r"\w{40,}+"),
    Kind("tavily-key", ("tvly-",), r"[\w-]{28,}+"),
    Kind("firecrawl-key", ("fc-",), r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    Kind("jina-key", ("jina_",), r"\w{50,}+"),
    Kind("e2b-key", ("e2b_",), r"[a-f0-9]{40}(?![A-Za-z0-9])"),
    Kind("twilio-key", ("SK",), r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    Kind("discord-token", ("M", "N", "O"), r"[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])"),
    Kind("mailgun-key", ("key-",), r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    Kind("brevo-key", ("xkeysib-", "xsmtpsib-"), r"[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Kind("resend-key", ("re_",), r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}+"),
    Kind("notion-token", ("ntn_", "secret_"), r"[A-Za-z0-9]{40,}+"),
    Kind("figma-token", ("figd_", "figo_"), r"[\w-]{35,}+"),
    Kind("supabase-key", ("sbp_",), r"(?:v0_)?[a-f0-9]{40}(?![A-Za-z0-9])"),
    Kind("supabase-key", ("sb_secret_",), r"[\w-]{25,}+"),
    Kind("heroku-key", ("HRKU-",), r"[\w-]{30,}+"),
    Kind("netlify-token", ("nfp_", "nfc_", "nfo_"), r"[A-Za-z0-9]{36,}+"),
    Kind("vercel-token", ("vcp_", "vck_", "vca_", "vci_", "vcr_"), r"[A-Za-z0-9]{40,}+"),
    Kind("fly-token", ("fo1_", "fm1_", "fm2_", "fm1r_", "fm1a_"), r"[\w+/-]{35,}+={0,2}"),
    Kind("render-key", ("rnd_",), r"[A-Za-z0-9]{24,}+"),
    Kind("neon-key", ("napi_",), r"[a-z0-9]{40,}+"),
    Kind("neon-password", ("npg_",), r"[A-Za-z0-9]{12}(?![A-Za-z0-9])"),
    Kind("planetscale-token", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[\w-]{30,}+"),
    Kind("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[a-f0-9]{40,}+"),
    Kind("cloudflare-key", ("cfut_", "cfat_", "cfk_"), r"[\w-]{40,}+"),
    Kind("databricks-token", ("dapi",), r"[a-f0-9]{32,}+(?:-\d)?"),
    Kind("pulumi-token", ("pul-",), r"[a-f0-9]{40}(?![A-Za-z0-9])"),
    Kind("docker-token", ("dckr_pat_", "dckr_oat_"), r"[\w-]{20,}+"),
    Kind("linear-key", ("lin_api_", "lin_oauth_"), r"[A-Za-z0-9]{32,}+"),
    Kind("atlassian-token", ("ATATT3", "ATCTT3", "ATBB"), r"[\w=-]{28,}+"),
    Kind("airtable-token", ("pat",), r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    Kind("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"[A-Fa-f0-9]{32,}+"),
    Kind("square-token", ("sq0csp-", "sq0atp-", "EAAA"), r"[\w-]{40,}+"),
    Kind("postman-key", ("PMAK-",), r"[a-f0-9]{24}-[a-f0-9]{34}"),
    Kind("newrelic-key", ("NRAK-",), r"[A-Z0-9]{27}"),
    Kind("grafana-token", ("glsa_", "glc_"), r"[A-Za-z0-9_+/=]{32,}+"),
    Kind("sentry-token", ("sntryu_", "sntrys_"), r"[\w+/=-]{40,}+"),
    Kind("posthog-key", ("phx_", "phs_"), r"[A-Za-z0-9]{36,}+"),
    Kind("sonar-token", ("squ_", "sqp_", "sqa_"), r"[a-f0-9]{40}(?![A-Za-z0-9])"),
    Kind("buildkite-token", ("bkua_",), r"[a-f0-9]{40}(?![A-Za-z0-9])"),
    Kind("circleci-token", ("CCIPAT_", "CCIPRJ_"), r"[A-Za-z0-9]{20,}+_[a-f0-9]{40}"),
    Kind("crates-token", ("cio",), r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    Kind("contentful-token", ("CFPAT-",), r"[\w-]{40,}+"),
    Kind("tailscale-key", ("tskey-",), r"[a-z]+-[A-Za-z0-9-]{20,}+"),
    Kind("1password-token", ("ops_eyJ",), r"[\w=-]{100,}+"),
    Kind("age-key", ("AGE-SECRET-KEY-1",), r"[A-Z0-9]{58,}+"),
    Kind("jwt", ("eyJ",), rf"{NEW_WORD}[\w-]{{8,8000}}+\.eyJ[\w-]{{4,16000}}+(?:\.[\w-]*+)?"),
    Kind(
        "jwt",
        ("eyJ",),
        rf"{NEW_WORD}[\w-]{{8,8000}}+\.[\w-]{{0,2000}}+\.[\w-]{{8,64}}+\.[\w-]{{16,16000}}+\.[\w-]{{16,64}}+",
    ),
    Kind("private-key", ("LS0tLS1CRUdJTi",), r"(?!BDRVJU|BQVUJM)[A-Za-z0-9+/]{16,}+={0,2}"),
)
# Prefixes with a sign between them and the run of sixteen.
PARTED = (
    Kind("sendgrid-key", ("SG.",), r"[\w-]{16,64}\.[\w-]{32,}+"),
    Kind("google-token", ("ya29.",), r"[\w-]{20,}+"),
    Kind("google-key", ("AQ.",), r"Ab[\w-]{35,}+"),
    Kind("google-token", ("1//",), r"0[\w-]{38,}+"),
    Kind("vault-token", ("hvs.", "hvb.", "hvr."), r"[\w-]{24,}+"),
    Kind("doppler-token", ("dp.pt.", "dp.st."), r"[\w.-]{40,}+"),
    Kind("mapbox-token", ("sk.",), r"eyJ[\w-]{20,}+\.[\w-]{20,}+"),
    Kind("cloudflare-key", ("v1.0-",), r"[a-f0-9]{24}-[a-f0-9]{100,}+"),
)
# Tokens without a prefix, but with a literal in the middle: the patterns before and after it.
CENTRED = (
    ("azure-secret", "Q~", r"[\w~.-]{3}\d", r"[\w~.-]{31,34}(?![\w~-])"),
    ("telegram-token", ":AA", rf"(?:{LEFT}|(?<=bot))\d{{8,10}}", r"[\w-]{32,34}(?![\w-])"),
    ("terraform-token", ".atlasv1.", rf"{LEFT}[A-Za-z0-9]{{14}}", r"[\w-]{60,}+"),
    ("slack-webhook", "hooks.slack.com/", r"(?:https://)?", r"[a-z]{1,12}/[A-Za-z0-9/]{20,}+"),
    ("discord-webhook", "/api/webhooks/", r"(?:https://[\w.]{1,32})?", r"\d{16,20}/[\w-]{50,}+"),
    ("teams-webhook", ".webhook.office.com/", r"(?:https://[\w-]{1,64})?", r"webhookb2/[\w@/-]{60,}+"),
)


# Finding them.


LEAST_DIFFERENT = 8  # characters; `ghp_xxxxxxxx…` is a placeholder
FARTHEST = 80  # characters of a token before its middle
SHORTEST = 16  # characters of a run that may be a token
_WORD = f"{ascii_letters}{digits}_-"
_SIGNS = bytes(b"w"[0] if chr(one) in _WORD else b" "[0] for one in range(256))
# An escape sequence before it, or a terminal color, is not part of a token.
_ESCAPE = re.compile(r"(?<=\\)(?:[nrtbf]|u[\da-fA-F]{4}|x[\da-fA-F]{2})|(?<=%)[\da-fA-F]{2}|(?<=[\[;])\d{1,3}m")
_PARTNER = re.compile(r"[\s\"',:;|]{1,8}(?![a-f0-9]{40})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])")
_HEXES = re.compile(r"[a-f0-9]{32}-(?:[a-f0-9]{8}-[a-f0-9]{8}|us\d{1,2})(?![\w-])")


_FORMS: dict[str, list[tuple[str, str, str]]] = {}  # kind, prefix and rest, by the first three characters of the prefix
for _kind, _heads, _rest in KINDS:
    for _head in _heads:
        _FORMS.setdefault(_head[:3], []).append((_kind, _head, _rest))
_SIZES = sorted({len(key) for key in _FORMS}, reverse=True)
_PARTED = [(kind, head, rest) for kind, heads, rest in PARTED for head in heads]
_LEADS = tuple(head for _, head, _ in _PARTED)
_MAY_BEGIN = branches((*_FORMS, *(re.split(r"\W", lead)[0] for lead in _LEADS))) + "|[a-f0-9]{32}-"
_FIRST, _INNER = re.compile(_MAY_BEGIN), re.compile(rf"[_-](?={_MAY_BEGIN})")
_CENTRED = tuple(
    (name, re.compile(rf"(?:{before})\Z", re.ASCII), middle, re.compile(re.escape(middle) + behind, re.ASCII))
    for name, middle, before, behind in CENTRED
)


def tokens(text: str, _low: str) -> Iterator[Span]:
    """Yield the tokens in a text, except placeholders, which repeat a few signs."""
    done = 0
    for start in _starts(text):
        if start < done or (span := _token(text, start)) is None:
            continue
        done = span.end
        if len(set(text[start:done])) < LEAST_DIFFERENT:
            continue
        yield span
        # Tables and consoles show the secret behind the id of its key.
        if span.kind == "aws-access-key" and (secret := _PARTNER.match(text, done)):
            yield Span(*secret.span(1), "aws-secret-key")
    for name, before, middle, pattern in _CENTRED:
        for match in anchored(text, middle, pattern):
            if head := before.search(text, max(0, match.start() - FARTHEST), match.start()):
                yield Span(head.start(), match.end(), name)


def may_begin(text: str, start: int) -> bool:
    """Return whether a token may begin here, by its first letters."""
    return _FIRST.match(text, start) is not None


def _starts(text: str) -> Iterator[int]:
    """Yield where a token may begin: at a long run of letters, digits, `_` and `-`, or after a sign in it.

    Searching bytes for a run is faster than any pattern.
    """
    signs = text.encode("ascii", "replace").translate(_SIGNS)  # one byte per character
    start = signs.find(b"w" * SHORTEST)
    while start >= 0:
        end = signs.find(b" ", start)
        end = len(signs) if end < 0 else end
        if text.endswith(_LEADS, max(0, start - 8), start):
            yield from (start - len(lead) for lead in _LEADS if text.endswith(lead, 0, start))
        if may_begin(text, start):
            yield start
        if start and text[start - 1] in "\\%[;" and (escape := _ESCAPE.match(text, start)):
            yield escape.end()
        for sign in _INNER.finditer(text, start, end):
            yield sign.end()
        start = signs.find(b"w" * SHORTEST, end)


def _token(text: str, start: int) -> Span | None:
    """Return the token that begins here, if its format matches."""
    possible = [form for size in _SIZES for form in _FORMS.get(text[start : start + size], ())]
    if text.startswith(_LEADS, start):
        possible += _PARTED
    for kind, head, rest in possible:
        if text.startswith(head, start) and (match := compiled(rest, re.ASCII).match(text, start + len(head))):
            return Span(start, match.end(), kind)
    hexes = _HEXES.match(text, start)
    return Span(*hexes.span(), "mail-key") if hexes else None
