"""Tokens that tell by their own form what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from compact_chat.redact.spans import Span, anchored

LEFT = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"  # a word begins, also behind the escaped line end of a JSON string
LEAST_DIFFERENT = 8  # characters; `ghp_xxxxxxxx…` is a placeholder


class Kind(NamedTuple):
    """A kind of token: its name, the literals that begin it, and its whole form."""

    name: str
    anchors: tuple[str, ...]
    form: str


KINDS = (
    Kind("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"A[A-Z]{3}[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Kind("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[a-z]_[A-Za-z0-9]{30,}+"),
    Kind("github-token", ("github_pat_",), r"github_pat_\w{40,}+"),
    Kind("gitlab-token", ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-"), r"gl[a-z]{2,4}-[\w-]{20,}+"),
    Kind("slack-token", ("xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxr-", "xoxs-"), r"xox[a-z]-[A-Za-z0-9-]{10,}+"),
    Kind("slack-token", ("xapp-",), r"xapp-\d-[A-Za-z0-9-]{10,}+"),
    Kind("slack-webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/[a-z]{1,12}/[A-Za-z0-9/]{20,}+"),
    Kind("stripe-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[rs]k_[a-z]{4}_[A-Za-z0-9]{16,}+"),
    Kind("stripe-key", ("whsec_",), r"whsec_[A-Za-z0-9]{24,}+"),
    Kind("anthropic-key", ("sk-ant-",), r"sk-ant-[\w-]{20,}+"),
    Kind("openrouter-key", ("sk-or-",), r"sk-or-[\w-]{20,}+"),
    Kind("openai-key", ("sk-",), r"sk-(?:(?:proj|svcacct|admin)-[\w-]{20,}+|[A-Za-z0-9]{32,}+)"),
    Kind("google-key", ("AIza",), r"AIza[\w-]{35,}+"),
    Kind("google-token", ("ya29.",), r"ya29\.[\w-]{20,}+"),
    Kind("google-secret", ("GOCSPX-",), r"GOCSPX-[\w-]{20,}+"),
    Kind("npm-token", ("npm_",), r"npm_[A-Za-z0-9]{36,}+"),
    Kind("pypi-token", ("pypi-AgE",), r"pypi-AgE[\w-]{40,}+"),
    Kind("huggingface-token", ("hf_",), r"hf_[A-Za-z0-9]{30,}+"),
    Kind("groq-key", ("gsk_",), r"gsk_[A-Za-z0-9]{20,}+"),
    Kind("xai-key", ("xai-",), r"xai-[A-Za-z0-9]{40,}+"),
    Kind("perplexity-key", ("pplx-",), r"pplx-[A-Za-z0-9]{40,}+"),
    Kind("replicate-token", ("r8_",), r"r8_[A-Za-z0-9]{32,}+"),
    Kind("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[a-z]_v1_[a-f0-9]{40,}+"),
    Kind("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"shp[a-z]{2}_[A-Fa-f0-9]{32,}+"),
    Kind("sendgrid-key", ("SG.",), r"SG\.[\w-]{16,64}\.[\w-]{32,}+"),
    Kind("grafana-token", ("glsa_", "glc_"), r"gl(?:sa|c)_[A-Za-z0-9_+/=]{32,}+"),
    Kind("docker-token", ("dckr_pat_",), r"dckr_pat_[\w-]{20,}+"),
    Kind("linear-key", ("lin_api_",), r"lin_api_[A-Za-z0-9]{32,}+"),
    Kind("atlassian-token", ("ATATT3",), r"ATATT3[\w=-]{40,}+"),
    Kind("vault-token", ("hvs.", "hvb."), r"hv[sb]\.[\w-]{24,}+"),
    Kind("doppler-token", ("dp.pt.", "dp.st."), r"dp\.[ps]t\.[A-Za-z0-9.]{40,}+"),
    Kind("databricks-token", ("dapi",), r"dapi[a-f0-9]{32,}+"),
    Kind("age-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{58,}+"),
    Kind("jwt", ("eyJ",), r"(?<![\w-])eyJ[\w-]{8,2000}\.eyJ[\w-]{4,8000}(?:\.[\w-]*+)?"),
    Kind("jwt", ("eyJ",), r"(?<=\\[nrt])eyJ[\w-]{8,2000}\.eyJ[\w-]{4,8000}(?:\.[\w-]*+)?"),
)
_PATTERNS = tuple((kind.name, kind.anchors, re.compile(LEFT + kind.form)) for kind in KINDS)


def tokens(text: str, low: str) -> Iterator[Span]:  # noqa: ARG001 - all finders take both forms of the text
    """The tokens in a text."""
    for name, anchors, pattern in _PATTERNS:
        for anchor in anchors:
            for match in anchored(text, anchor, pattern):
                if len(set(match[0])) >= LEAST_DIFFERENT:
                    yield Span(match.start(), match.end(), name)
