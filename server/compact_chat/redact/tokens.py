"""Tokens of services, recognized by their form: a table of the forms, and finding them.

To add one: its name, its heads, the pattern behind them, and a sample of what is behind the head, where `<A36>` stands
for 36 letters and digits (`SIGNS`). Tests draw every sample and look for it in many surroundings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

from compact_chat.redact.spans import Span, anchored, branches, compiled, occurrences
from compact_chat.redact.values import JUDGED, looks_random, oddness


class Kind(NamedTuple):
    """A form that begins with one of several heads; behind one that ends in a sign is a run of letters and digits."""

    name: str
    heads: tuple[str, ...]
    rest: str
    sample: str


class Centered(NamedTuple):
    """A form with a literal: the pattern before it, which may be empty, and the one behind it."""

    name: str
    literal: str
    before: str
    behind: str
    sample: str  # of all of it


# What a letter stands for in a sample.
SIGNS = {
    "A": ascii_letters + digits,
    "B": ascii_letters + digits + "+/",
    "D": digits,
    "H": digits + "abcdef",
    "L": ascii_lowercase + digits,
    "M": ascii_lowercase,
    "U": ascii_uppercase + digits,
    "W": ascii_letters + digits + "_-",
    "Z": ascii_uppercase + "234567",
}

_END = r"(?![A-Za-z0-9])"


def _alone(head: str) -> str:
    """Return what is true behind a head before which there is no other part of a name, as in `cache-key-…`."""
    return rf"(?:(?<![\w-]{head})|(?<=\n-{head})|(?<=%[\da-fA-F]{{2}}{head}))"


_DOTTED = r"[\w=-]++(?>\.[\w=-]++)*+"
_UUID = r"[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"
_UUID_SAMPLE = "<H8>-<H4>-4<H3>-a<H3>-<H12>"
LEFT = r"(?:(?<![A-Za-z0-9])|(?<=%[\da-fA-F]{2}))"  # no letter or digit before it, except of an escape

KINDS = (
    # Clouds and hosts
    Kind("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), rf"[A-Z0-9]{{16}}{_END}", "<Z16>"),
    Kind("aws-access-key", ("A3T",), rf"[A-Z0-9]{{17}}{_END}", "<Z17>"),
    Kind("aws-key", ("ABSK",), r"[A-Za-z0-9+/]{80,}+={0,2}", "QmVkcm9ja0FQSUtleS<B90>="),
    Kind("aws-key", ("da2-",), rf"[a-z0-9]{{26}}{_END}", "<L26>"),
    Kind("alibaba-key", ("LTAI",), rf"[A-Za-z0-9]{{17,24}}{_END}", "<A20>"),
    Kind("google-key", ("AIza",), r"[\w-]{35,}+", "<W35>"),
    Kind("google-secret", ("GOCSPX-",), r"[\w-]{20,}+", "<W28>"),
    Kind("yandex-key", ("AQVN",), r"[\w-]{35,38}(?![\w-])", "<A36>"),
    Kind("heroku-key", ("HRKU-",), r"[\w-]{30,}+", "AA<W58>"),
    Kind("netlify-token", ("nfp_", "nfc_", "nfo_", "nfu_", "nfb_"), r"[A-Za-z0-9]{36,}+", "<A36>"),
    Kind("vercel-token", ("vcp_", "vck_", "vca_", "vci_", "vcr_"), r"[A-Za-z0-9]{40,}+", "<A56>"),
    Kind("fly-token", ("fo1_", "fm1_", "fm2_", "fm1r_", "fm1a_"), r"[\w+/-]{35,}+={0,2}", "<W43>"),
    Kind("render-key", ("rnd_",), r"[A-Za-z0-9]{24,}+", "<A28>"),
    Kind("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[a-f0-9]{40,}+", "<H64>"),
    Kind("cloudflare-key", ("cfut_", "cfat_", "cfk_"), r"[\w-]{40,}+", "<W40>"),
    Kind("scalingo-token", ("tk-us-",), r"[\w-]{48}(?![\w-])", "<A48>"),
    Kind("pulumi-token", ("pul-",), rf"[a-f0-9]{{40}}{_END}", "<H40>"),
    Kind("tailscale-key", ("tskey-",), r"[a-z]+-[A-Za-z0-9-]{20,}+", "auth-k<A11>CNTRL-<A32>"),
    Kind("defined-token", ("dnkey-",), r"[\w=-]{26}-[\w=-]{52}", "<L26>-<L52>"),
    Kind("cast-key", ("castai_v1_",), r"[a-f0-9]{64}_[a-f0-9]{8}", "<H64>_<H8>"),
    # Code, packages and builds
    Kind("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\w{30,}+(?>\.[\w-]{8,}+)*+", "<A36>"),
    Kind("github-token", ("github_pat_",), r"\w{40,}+", "<A22>_<A59>"),
    Kind(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "gloas-", "glwt-"),
        r"[\w-]{20,}+(?>\.[\w-]{4,}+)*+",
        "<W20>",
    ),
    Kind(
        "gitlab-token",
        ("glsoat-", "glft-", "glimt-", "glagent-", "glffct-"),
        r"[\w-]{20,}+(?>\.[\w-]{4,}+)*+",
        "<W50>",
    ),
    Kind("gitlab-token", ("GR1348941",), r"[\w-]{20,}+", "<W20>"),
    Kind("bitbucket-token", ("ATBB",), r"[\w=-]{28,}+", "<A28>"),
    Kind("npm-token", ("npm_",), r"[A-Za-z0-9]{36,}+", "<A36>"),
    Kind("pypi-token", ("pypi-AgE",), r"[\w-]{40,}+", "IcHlwaS5vcmc<W150>"),
    Kind("rubygems-key", ("rubygems_",), r"[a-f0-9]{40,}+", "<H48>"),
    Kind("crates-token", ("cio",), rf"[A-Za-z0-9]{{32}}{_END}", "<A32>"),
    Kind("nuget-key", ("oy2",), rf"[a-z0-9]{{43}}{_END}", "<L43>"),
    Kind("clojars-token", ("CLOJARS_",), r"[A-Za-z0-9]{60,}+", "<L60>"),
    Kind("artifactory-key", ("AKCp",), r"[A-Za-z0-9]{60,}+", "<A69>"),
    Kind("artifactory-token", ("cmVmdGtuO",), r"[A-Za-z0-9]{50,}+", "<A55>"),
    Kind("docker-token", ("dckr_pat_", "dckr_oat_"), r"[\w-]{20,}+", "<W27>"),
    Kind("buildkite-token", ("bkua_",), rf"[a-f0-9]{{40}}{_END}", "<H40>"),
    Kind("circleci-token", ("CCIPAT_", "CCIPRJ_"), r"[A-Za-z0-9]{20,}+_[a-f0-9]{40}", "<A22>_<H40>"),
    Kind("sonar-token", ("squ_", "sqp_", "sqa_"), rf"[a-f0-9]{{40}}{_END}", "<H40>"),
    Kind("segment-token", ("sgp_",), rf"[A-Za-z0-9]{{64}}{_END}", "<A64>"),
    Kind("kong-token", ("kpat_", "spat_"), r"[A-Za-z0-9]{40,}+", "<A49>"),
    Kind("sourcegraph-token", ("sgp_",), rf"(?:(?:[a-f0-9]{{16}}|local)_)?[a-f0-9]{{40}}{_END}", "<H16>_<H40>"),
    Kind("octopus-key", ("API-",), rf"[A-Z0-9]{{25,32}}{_END}", "<Z26>"),
    Kind("prefect-key", ("pnu_", "pnb_"), rf"[A-Za-z0-9]{{36}}{_END}", "<A36>"),
    Kind("infracost-key", ("ico-",), rf"[A-Za-z0-9]{{32}}{_END}", "<A32>"),
    Kind("readme-key", ("rdme_",), r"[a-z0-9]{60,}+", "<L70>"),
    Kind("dependency-track-key", ("odt_",), r"[A-Za-z0-9]{32,}+", "<A32>"),
    Kind("launchdarkly-key", ("sdk-", "api-"), rf"{_alone('....')}{_UUID}(?![\w-])", _UUID_SAMPLE),
    Kind("inngest-key", ("signkey-prod-", "signkey-test-", "signkey-branch-"), r"[a-f0-9]{32,}+", "<H64>"),
    Kind("settlemint-token", ("sm_aat_", "sm_pat_", "sm_sat_"), r"[A-Za-z0-9]{16,}+", "<A16>"),
    # Models
    Kind("anthropic-key", ("sk-ant-",), r"[\w-]{20,}+", "api03-<W86>AA"),
    Kind("openrouter-key", ("sk-or-",), r"[\w-]{20,}+", "v1-<H64>"),
    Kind("langfuse-key", ("sk-lf-",), r"[\w-]{20,}+", _UUID_SAMPLE),
    Kind("helicone-key", ("sk-helicone-",), r"[\w-]{20,}+", "<L7>-<L7>-<L7>-<L7>"),
    Kind(
        "openai-key",
        ("sk-",),
        r"(?:(?:proj|svcacct|admin|None|service-account)-[\w-]{20,}+|[A-Za-z0-9]{32,}+)",
        "proj-<W74>T3BlbkFJ<W74>",
    ),
    Kind("openai-key", ("sess-",), r"[A-Za-z0-9]{40,}+", "<A40>"),
    Kind("elevenlabs-key", ("sk_",), rf"[a-f0-9]{{48}}{_END}", "<H48>"),
    Kind("huggingface-token", ("hf_", "api_org_"), r"[A-Za-z0-9]{30,}+", "<A34>"),
    Kind("groq-key", ("gsk_",), r"[A-Za-z0-9]{20,}+", "<A52>"),
    Kind("xai-key", ("xai-",), r"[A-Za-z0-9]{40,}+", "<A80>"),
    Kind("perplexity-key", ("pplx-",), r"[A-Za-z0-9]{40,}+", "<A48>"),
    Kind("replicate-token", ("r8_",), r"[A-Za-z0-9]{32,}+", "<A37>"),
    Kind("nvidia-key", ("nvapi-",), r"[\w-]{40,}+", "<W64>"),
    Kind("cerebras-key", ("csk-",), r"[A-Za-z0-9]{40,}+", "<L48>"),
    Kind("together-key", ("tgp_v1_",), r"[\w-]{30,}+", "<W43>"),
    Kind("fireworks-key", ("fw_",), rf"[A-Za-z0-9]{{22,24}}{_END}", "<A24>"),
    Kind("langsmith-key", ("lsv2_pt_", "lsv2_sk_"), r"[a-f0-9]{32}_[a-f0-9]{10}", "<H32>_<H10>"),
    Kind("llamacloud-key", ("llx-",), r"[A-Za-z0-9]{40,}+", "<A48>"),
    Kind("pinecone-key", ("pcsk_",), r"\w{40,}+", "<A6>_<A60>"),
    Kind("tavily-key", ("tvly-",), r"[\w-]{28,}+", "dev-<A32>"),
    Kind("firecrawl-key", ("fc-",), rf"[a-f0-9]{{32}}{_END}", "<H32>"),
    Kind("jina-key", ("jina_",), r"\w{50,}+", "<A60>"),
    Kind("e2b-key", ("e2b_",), rf"[a-f0-9]{{40}}{_END}", "<H40>"),
    Kind("daytona-key", ("dtn_",), r"[a-f0-9]{64}", "<H64>"),
    Kind("apify-token", ("apify_api_",), r"[A-Za-z0-9]{30,}+", "<A36>"),
    Kind("voyage-key", ("pa-",), rf"{_alone('pa-')}[A-Za-z0-9_-]{{43}}(?![\w-])", "<A43>"),
    Kind("brave-key", ("BSA",), rf"{_alone('BSA')}[A-Za-z0-9_-]{{28}}{_END}", "<A28>"),
    Kind("wandb-key", ("wandb_v1_",), r"\w{40,}+", "<A60>"),
    # Money
    Kind(
        "stripe-key",
        ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"),
        r"[A-Za-z0-9]{16,}+",
        "<A24>",
    ),
    Kind("stripe-key", ("whsec_",), r"[A-Za-z0-9+/]{24,}+=*+", "<A32>"),
    Kind("square-token", ("sq0atp-",), r"[\w-]{22,}+", "<W22>"),
    Kind("square-secret", ("sq0csp-",), r"[\w-]{35,}+", "<W43>"),
    Kind("square-token", ("EAAA",), r"(?<![A-Za-z0-9]EAAA)[\w=-]{44,60}(?![\w+/=-])", "<W60>"),
    Kind("facebook-token", ("EAA",), r"[B-Z][A-Za-z0-9]{90,}+(?![+/=])", "C<A110>"),
    Kind("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"[A-Fa-f0-9]{32,}+", "<H32>"),
    Kind("mongodb-atlas-secret", ("mdb_sa_sk_",), r"[\w-]{32,}+", "<W42>"),
    Kind("salesforce-key", ("3MVG9",), r"[\w.]{74,199}\w", "<A80>"),
    Kind("shippo-token", ("shippo_live_", "shippo_test_"), rf"[A-Fa-f0-9]{{40}}{_END}", "<H40>"),
    Kind("easypost-key", ("EZAK", "EZTK"), r"[A-Za-z0-9]{54}", "<A54>"),
    Kind("duffel-token", ("duffel_test_", "duffel_live_"), r"[\w=-]{40,}+", "<W43>"),
    Kind("flutterwave-key", ("FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-"), r"[A-Za-z0-9]{12,}+(?:-X)?", "<H32>-X"),
    Kind("plaid-token", ("access-sandbox-", "access-development-", "access-production-"), _UUID, _UUID_SAMPLE),
    Kind("lob-key", ("live_", "test_"), rf"{_alone('.....')}(?:pub_)?[a-f0-9]{{31,35}}{_END}", "<H35>"),
    Kind("gocardless-token", ("live_",), rf"{_alone('live_')}[\w=-]{{40}}(?![\w=-])", "<A40>"),
    Kind("paddle-key", ("pdl_live_apikey_", "pdl_sdbx_apikey_"), r"\w{40,}+", "<L26>_<A22>_<A3>"),
    Kind("polar-token", ("polar_oat_", "polar_pat_"), r"[A-Za-z0-9]{30,}+", "<A43>"),
    Kind("ramp-key", ("ramp_sec_", "ramp_id_"), r"[A-Za-z0-9]{30,}+", "<A48>"),
    Kind("xendit-key", ("xnd_production_", "xnd_development_"), r"[A-Za-z0-9]{40,}+", "<A60>"),
    Kind("mercadopago-token", ("APP_USR-",), r"\d{12,}-\d{6}-[a-f0-9]{32}(?:-\d+)?", "<D16>-<D6>-<H32>"),
    Kind("wave-token", ("wave_sn_prod_", "wave_ci_prod_"), r"[A-Za-z0-9_-]{30,}+", "<L32>"),
    Kind("robinhood-key", ("rh-api-",), _UUID, _UUID_SAMPLE),
    Kind("alchemy-token", ("alcht_",), r"[A-Za-z0-9]{30}", "<A30>"),
    # Messages and mail
    Kind(
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxo-"),
        r"[\w%-]{10,}+",
        "<D12>-<D13>-<A24>",
    ),
    Kind("slack-token", ("xapp-",), r"\d-[\w-]{10,}+", "1-A<U10>-<D13>-<H64>"),
    Kind("twilio-key", ("SK",), rf"[a-f0-9]{{32}}{_END}", "<H32>"),
    Kind("discord-token", ("M", "N", "O"), r"[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])", "TA<A21>.G<W5>.<W37>A"),
    Kind("mailgun-key", ("key-",), rf"{_alone('key-')}[a-f0-9]{{32}}{_END}", "<H32>"),
    Kind("mailgun-key", ("pubkey-",), rf"{_alone('pubkey-')}[a-f0-9]{{32}}{_END}", "<H32>"),
    Kind("brevo-key", ("xkeysib-", "xsmtpsib-"), r"[a-f0-9]{64}-[A-Za-z0-9]{16}", "<H64>-<A16>"),
    Kind("resend-key", ("re_",), r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}+", "<A8>_<A24>"),
    # Work and data
    Kind("notion-token", ("ntn_", "secret_"), r"[A-Za-z0-9]{40,}+", "<A46>"),
    Kind("figma-token", ("figd_", "figo_", "figp_", "figr_", "figu_", "figor_"), r"[\w-]{35,}+", "<W40>"),
    Kind("supabase-key", ("sbp_",), rf"(?:v0_)?[a-f0-9]{{40}}{_END}", "<H40>"),
    Kind("supabase-key", ("sb_secret_",), r"[\w-]{25,}+", "<W31>"),
    Kind("neon-key", ("napi_",), r"[a-z0-9]{40,}+", "<L64>"),
    Kind("neon-password", ("npg_",), rf"[A-Za-z0-9]{{12}}{_END}", "<A12>"),
    Kind(
        "planetscale-token",
        ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
        rf"(?=[\w=.-]{{30}}){_DOTTED}",
        "<W20>=.<W20>",
    ),
    Kind("xata-key", ("xau_",), r"[A-Za-z0-9]{30,}+", "<A34>"),
    Kind("databricks-token", ("dapi",), r"[a-f0-9]{32,}+(?:-\d)?", "<H32>"),
    Kind("clickhouse-key", ("4b1d",), rf"[A-Za-z0-9]{{38}}{_END}", "<A38>"),
    Kind("linear-key", ("lin_api_", "lin_oauth_"), r"[A-Za-z0-9]{32,}+", "<A40>"),
    Kind("atlassian-token", ("ATATT3", "ATCTT3"), r"[\w=-]{28,}+", "xFfGF0<W180>"),
    Kind("trello-token", ("ATTA",), r"[A-Za-z0-9]{64,}+", "<H72>"),
    Kind("airtable-token", ("pat",), r"[A-Za-z0-9]{14}\.[a-f0-9]{64}", "<A14>.<H64>"),
    Kind("hubspot-token", ("pat-na1-", "pat-na2-", "pat-eu1-"), _UUID, _UUID_SAMPLE),
    Kind("postman-key", ("PMAK-",), r"[a-f0-9]{24}-[a-f0-9]{34}", "<H24>-<H34>"),
    Kind("newrelic-key", ("NRAK-", "NRIQ-", "NRRA-"), r"[A-Za-z0-9-]{27,}+", "<U27>"),
    Kind("newrelic-key", ("NRII-",), r"[A-Za-z0-9_-]{32}", "<A32>"),
    Kind("newrelic-key", ("NRJS-",), r"[a-f0-9]{19}", "<H19>"),
    Kind("grafana-token", ("glsa_", "glc_"), r"[A-Za-z0-9_+/=]{32,}+", "<A60>"),
    Kind("grafana-key", ("eyJrIjoi",), r"[A-Za-z0-9]{60,}+={0,3}", "<A90>"),
    Kind("sentry-token", ("sntryu_", "sntrys_"), r"[\w+/=-]{40,}+", "<H64>"),
    Kind("posthog-key", ("phx_", "phs_", "pha_"), r"[A-Za-z0-9]{36,}+", "<A43>"),
    Kind("honeycomb-key", ("hcaik_", "hcxik_", "hcalk_"), r"[a-z0-9]{40,}+", "<L58>"),
    Kind("rootly-token", ("rootly_",), r"[a-f0-9]{60,}+", "<H64>"),
    Kind("contentful-token", ("CFPAT-",), r"[\w-]{40,}+", "<W43>"),
    Kind("typeform-token", ("tfp_",), rf"(?=[\w=.-]{{40}}){_DOTTED}", "<W44>_<A14>"),
    Kind("frameio-token", ("fio-u-",), r"[\w=-]{60,}+", "<W64>"),
    Kind("adobe-secret", ("p8e-",), r"[\w-]{30,}+", "<W32>"),
    Kind("intra42-secret", ("s-s4t2ud-", "s-s4t2af-"), r"[a-f0-9]{60,}+", "<H64>"),
    Kind("wakatime-key", ("waka_",), _UUID, _UUID_SAMPLE),
    # Vaults, and forms of no one service
    Kind(
        "1password-key",
        ("A3-",),
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        "<Z6>-<Z6>-<Z5>-<Z5>-<Z5>-<Z5>",
    ),
    Kind("1password-token", ("ops_eyJ",), r"[\w+/=-]{100,}+", "<A260>"),
    Kind("age-key", ("AGE-SECRET-KEY-1",), r"[A-Z0-9]{58,}+", "<U58>"),
    Kind(
        "jwt",
        ("eyJ",),
        r"[\w-]{8,8000}+\.eyJ[\w-]{4,16000}+(?:\.[\w-]*+)?",
        "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIx<W60>.<W43>",
    ),
    Kind(
        "jwt",
        ("eyJ",),
        rf"{_alone('eyJ')}[\w-]{{8,8000}}+\.[\w-]{{0,2000}}+\.[\w-]{{8,64}}+\.[\w-]{{16,16000}}+\.[\w-]{{16,64}}+",
        "hbGciOiJSU0EtT0FFUCJ9.<W342>.<W16>.<W60>.<W22>",
    ),
    Kind("jwt", ("ZXlK",), r"[A-Za-z0-9+/_-]{60,}+={0,2}", "aGJHY2lPaUpJVXpJMU5pSjk<A80>"),
    Kind("sendgrid-key", ("SG.",), rf"(?=[\w=.-]{{60}}){_DOTTED}", "<W22>.<W43>"),
    Kind("google-token", ("ya29.",), r"[\w-]{20,}+", "a0<W160>"),
    Kind("google-key", ("AQ.",), r"Ab[\w-]{35,}+", "Ab<W50>"),
    Kind("google-token", ("1//",), r"0[\w-]{38,}+", "0<W60>"),
    Kind("vault-token", ("hvs.", "hvb.", "hvr."), r"[\w-]{24,}+", "CAES<W90>"),
    Kind("vault-token", ("s.",), rf"(?<![\w.]..)(?=[A-Za-z]*\d)(?=\w*[A-Z])[A-Za-z0-9]{{24}}{_END}", "ZC9<A21>"),
    Kind("dynatrace-token", ("dt0c01.", "dt0s01.", "dt0s16."), r"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}", "<Z24>.<Z64>"),
    Kind("harness-token", ("pat.", "sat."), r"[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", "<W22>.<A24>.<A20>"),
    Kind("dropbox-token", ("sl.", "sl.u."), r"[\w=-]{130,}+", "<W135>"),
    Kind("mapbox-token", ("sk.", "tk."), r"eyJ[\w-]{20,}+\.[\w-]{20,}+", "eyJ<W60>.<W22>"),
    Kind("openshift-token", ("sha256~",), r"[\w-]{43}(?![\w-])", "<W43>"),
    Kind("slack-token", ("xoxe.",), r"xox[bp]-\d-[A-Za-z0-9]{100,}+", "xoxb-1-<U163>"),
    Kind("cloudflare-key", ("v1.",), r"0-[a-f0-9]{24}-[a-f0-9]{100,}+", "0-<H24>-<H146>"),
    Kind("amazon-token", ("amzn.mws.",), _UUID, _UUID_SAMPLE),
    Kind(
        "doppler-token",
        ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."),
        r"[A-Za-z0-9]{40,}+",
        "<A43>",
    ),
    Kind(
        "private-key",
        ("MII",),  # without its title: a number follows, and no certificate
        r"[A-Za-z0-9+/]{2}[AQgw]IBA[AD][A-Za-z0-9+/]{48,}+={0,2}",
        "BOgIBAA<B80>",
    ),
    Kind(
        "private-key", ("LS0tLS1CRUdJTi",), r"(?!BDRVJU|BQVUJM)[A-Za-z0-9+/]{16,}+={0,2}", "BQUklWQVRFIEtFWS0tLS0t<B80>"
    ),
)

CENTERED = (
    Centered("azure-secret", "Q~", r"[\w~.-]{3}\d", r"[\w~.-]{31,34}(?![\w~-])", "<A3>8Q~<A34>"),
    Centered("azure-token", "AZDO", rf"{LEFT}[A-Za-z0-9]{{76}}", rf"[A-Za-z0-9]{{4}}{_END}", "<A76>AZDO<A4>"),
    Centered("openai-key", "T3BlbkFJ", r"sk-[\w-]{20,77}", r"[\w-]{20,}+", "sk-service-account-<A24>T3BlbkFJ<A20>"),
    Centered("telegram-token", ":AA", rf"(?:{LEFT}|(?<=bot))\d{{8,10}}", r"[\w-]{32,34}(?![\w-])", "<D9>:AA<A33>"),
    Centered("terraform-token", ".atlasv1.", rf"{LEFT}[A-Za-z0-9]{{14}}", r"[\w=-]{60,}+", "<A14>.atlasv1.<W67>"),
    Centered(
        "authress-key",
        ".acc",
        rf"{LEFT}(?:sc|ext|scauth|authress)_[A-Za-z0-9]{{5,30}}\.[A-Za-z0-9]{{4,6}}",
        r"[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120}",
        "sc_<L12>.<L4>.acc_<L16>.<W43>",
    ),
    Centered("maxmind-key", "_mmk", rf"{LEFT}[A-Za-z0-9]{{6}}_[A-Za-z0-9]{{29}}", _END, "<A6>_<A29>_mmk"),
    Centered("doppler-token", "dp.st.", LEFT, r"[\w-]{1,40}\.[A-Za-z0-9]{40,}+", "dp.st.prod.<A43>"),
    Centered("yandex-token", "t1.", LEFT, r"[\w-]{1,100}={0,2}\.[\w-]{86}={0,2}", "t1.<W30>.<W86>"),
    Centered(
        "paypal-token",
        "access_token$",
        "",
        r"(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
        "access_token$production$<L16>$<H32>",
    ),
    Centered("salesforce-token", "!", rf"{LEFT}00[A-Za-z0-9]{{13}}", r"[\w.]{79,4096}\w", "00D<A12>!<A96>"),
    Centered(
        "slack-webhook",
        "hooks.slack.com/",
        r"(?:https://)?",
        r"[a-z]{1,12}/[A-Za-z0-9/]{20,}+",
        "https://hooks.slack.com/services/T<U9>/B<U10>/<A24>",
    ),
    Centered(
        "discord-webhook",
        "/api/webhooks/",
        r"(?:https://[\w.]{1,32})?",
        r"\d{16,20}/[\w-]{50,}+",
        "https://discord.com/api/webhooks/<D18>/<W68>",
    ),
    Centered(
        "teams-webhook",
        ".webhook.office.com/",
        r"(?:https://[\w-]{1,64})?",
        r"webhookb2/[\w@/-]{60,}+",
        f"https://a1.webhook.office.com/webhookb2/{_UUID_SAMPLE}@{_UUID_SAMPLE}/IncomingWebhook/<H32>/{_UUID_SAMPLE}",
    ),
)


# Find them, mostly in a text's long runs of letters and digits.


LEAST_DIFFERENT = 5  # characters behind a head; `ghp_xxxxxxxx…` is a placeholder
FARTHEST = 80  # characters of a token before its literal, and before a long run in it that has a digit
SHORTEST = 16  # characters of a run that may be a token
LONGEST_GLUED = 400  # characters of a run that may be a word and a token; in base64, any four letters occur
_WORD = f"{ascii_letters}{digits}_-"
_SIGNS = bytes(b"w"[0] if chr(one) in _WORD else b" "[0] for one in range(256))
_DIGIT = re.compile("[0-9]")
_RUN = b"w" * SHORTEST
_ESCAPE = re.compile(r"(?<=%)[\da-fA-F]{2}")  # is no part of the token behind it
_PARTNER = re.compile(r"[\s\"',:;|]{1,8}(?![a-f0-9]{40})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])")
_HEXES = re.compile(r"[a-f0-9]{32}-(?:[a-f0-9]{8}-[a-f0-9]{8}|us\d{1,2})(?![\w-])")


_FORMS: dict[str, list[tuple[str, str, str]]] = {}  # kind, head and rest, by the first three characters of the head
_LEADS: dict[str, list[str]] = {}  # heads with a sign in them, which are not in a run but before it, by their ends
for _kind in KINDS:
    for _head in _kind.heads:
        _FORMS.setdefault(_head[:3], []).append((_kind.name, _head, _kind.rest))
        if not re.fullmatch(r"[\w-]+", _head):
            _LEADS.setdefault(_head[-2:], []).append(_head)
_LEADING = {lead[-1] for lead in _LEADS} | {"%"}  # what else than a run's own beginning may show a token in it
_SIZES = sorted({len(key) for key in _FORMS}, reverse=True)
_MAY_BEGIN = branches(head for kind in KINDS for head in kind.heads if head[-2:] not in _LEADS) + "|[a-f0-9]{32}-"
_FIRST, _INNER = re.compile(_MAY_BEGIN), re.compile(rf"[_-](?={_MAY_BEGIN})")
# Heads that begin no word's end, so that they are tokens in `tokenghp_…` too.
_GLUED = re.compile(
    branches(
        head
        for kind in KINDS
        for head in kind.heads
        if head == "eyJ" or (len(head) > 3 and not head.isalpha()) or (len(head) == 4 and not head.islower())
    )
)
_CENTERED = tuple(
    (
        kind.name,
        kind.literal,
        re.compile(rf"(?:{kind.before})\Z", re.ASCII),
        re.compile(re.escape(kind.literal) + kind.behind, re.ASCII),
    )
    for kind in CENTERED
)


def tokens(text: str) -> Iterator[Span]:
    """Yield the tokens in a text, except placeholders, which repeat a few signs."""
    done, near = 0, list[str]()
    for start, is_glued in _starts(text, near):
        if start < done or (span := _token(text, start, is_glued)) is None:
            continue
        done = span.end
        if not span.kind:
            continue
        yield span
        # Tables and consoles show the secret behind the id of its key.
        if span.kind == "aws-access-key" and (secret := _PARTNER.match(text, done)):
            yield Span(*secret.span(1), "aws-secret-key")
    around = "".join(near)
    for name, literal, before, pattern in _CENTERED:
        is_rare = literal[-1] == "~"  # which is in no run, and found more quickly than two signs
        if not is_rare and literal not in around:
            continue
        places = occurrences(text, "~" if is_rare else literal)
        if is_rare:
            places = (at - 1 for at in places if text.startswith(literal, max(0, at - 1)))
        for match in anchored(text, places, pattern):
            head = before.search(text, max(0, match.start() - FARTHEST), match.start())
            if head and len(set(text[head.start() : match.end()])) >= LEAST_DIFFERENT:
                yield Span(head.start(), match.end(), name)


def may_begin(text: str, start: int) -> bool:
    """Return whether a token may begin here, by its first letters."""
    return _FIRST.match(text, start) is not None


def _starts(text: str, near: list[str]) -> Iterator[tuple[int, bool]]:
    """Yield where a token may begin, and whether it is glued to a word there, by the long runs of letters and digits.

    Also add what is near those runs that have a digit. Searching bytes for a run is faster than any pattern.
    """
    signs = text.encode("ascii", "replace").translate(_SIGNS)  # one byte per character
    find, length = signs.find, len(signs)
    read: dict[str, tuple[bool, list[tuple[int, bool]]]] = {}  # most runs occur several times
    after = find(_RUN)
    while (start := after) >= 0:
        end = find(b" ", start + SHORTEST)
        if end < 0:
            end = length
        after = find(_RUN, end)
        run = text[start:end]
        if text[start - 1 : start] in _LEADING:
            before = text[max(0, start - 2) : start]
            if before in _LEADS:
                yield from ((start - len(lead), False) for lead in _LEADS[before] if text.endswith(lead, 0, start))
            elif before[-1:] == "%" and (escape := _ESCAPE.match(text, start)):
                yield escape.end(), False
        if run not in read:
            has_digit = _DIGIT.search(run) is not None
            read[run] = has_digit, [*_starts_in(run, has_digit)]
        has_digit, found = read[run]
        if has_digit:
            near.append(text[max(0, start - FARTHEST) : end + 1])
        if found:
            yield from ((start + place, is_glued) for place, is_glued in found)


def _starts_in(run: str, has_digit: bool) -> Iterator[tuple[int, bool]]:
    """Yield a run's beginning, what follows a sign in it and, if it has a digit, heads that begin no word's end."""
    if may_begin(run, 0):
        yield 0, False
    if "_" in run or "-" in run:
        for sign in _INNER.finditer(run):
            yield sign.end(), False
    if has_digit and len(run) <= LONGEST_GLUED:
        for head in _GLUED.finditer(run, 1):
            yield head.start(), True


def _token(text: str, start: int, is_glued: bool) -> Span | None:
    """Return the token that begins here, if its form matches; one that is glued to a word has to look random.

    A placeholder has no kind.
    """
    for kind, head, rest in (form for size in _SIZES for form in _FORMS.get(text[start : start + size], ())):
        match = compiled(rest, re.ASCII).match(text, start + len(head)) if text.startswith(head, start) else None
        if match and (not is_glued or looks_random(match[0])):
            return Span(start, match.end(), kind if len(set(match[0])) >= LEAST_DIFFERENT else "")
    hexes = None if is_glued else _HEXES.match(text, start)
    return Span(*hexes.span(), "mail-key") if hexes else None


# A token that a line end breaks, as in a terminal.


_NEXT = re.compile(r"\r?\n([ \t]*+)([^\s\"'`\0]{12,}+)")
_INDENT, _CLOSING = re.compile(r"[ \t]*"), re.compile(r"[.,;!?)\]}]*\Z")
_NO_REST = re.compile(r"[a-f0-9-]+\Z|[A-F0-9-]+\Z|[a-z]{2,}[_-]")  # a digest or UUID, an id such as `call_…`


def broken(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the rest of each masked token that a line end breaks: the next run, if the token's form allows it.

    Lines behind that one only continue a token if all before them are of the same width, as a terminal wraps them.
    """
    starts = {span.start for span in spans}
    # Of spans with one end, the one that was found first. Each line is read once: no chain passes a span.
    ending = {span.end: span for span in reversed(spans) if text.startswith(("\n", "\r\n"), span.end)}
    for end, span in ending.items():
        line = text[text.rfind("\n", 0, span.start) + 1 : end].rpartition("\0")[2]
        indent = _INDENT.match(line)
        runs = list[tuple[int, int]]()
        at = end
        while (run := _NEXT.match(text, at)) and run.start(2) not in starts:
            if run[1] and (indent is None or run[1] != indent[0]):
                break
            runs.append(run.span(2))
            at, width = run.end(), run.end() - run.start(1)
            if at in ending or width != len(line):
                # A block of base64 or a list of ids has lines of a width of its own.
                if (after := _NEXT.match(text, at)) and after.end() - after.start(1) == width:
                    runs.pop()
                break
        yield from _rest(text, span, runs)


def _rest(text: str, span: Span, runs: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Yield the parts of a token in the runs of the next lines, as far as they look random."""
    token = "".join(text[start:end] for start, end in ((span.start, span.end), *runs)) if runs else ""
    reach = max((match.end() for match in _matches(token)), default=0) - (span.end - span.start)
    for start, end in runs:
        part = text[start : min(end, start + max(0, reach))]
        if len(part) < 12 or not _CLOSING.match(text[start + len(part) : end]) or not _may_be_rest(part):
            return
        yield Span(start, start + len(part), span.kind)
        if start + len(part) < end:
            return
        reach -= len(part)


def _matches(token: str) -> Iterator[re.Match[str]]:
    for _, head, rest in (form for size in _SIZES for form in _FORMS.get(token[:size], ())):
        if token.startswith(head) and (match := compiled(rest, re.ASCII).match(token, len(head))):
            yield match


def _may_be_rest(part: str) -> bool:
    """Return whether a part looks random; unlike a whole value, it may repeat few characters."""
    head = part[:JUDGED]
    if _NO_REST.match(part) or len(set(head)) < LEAST_DIFFERENT:
        return False
    return oddness(head) >= (0.25 if _DIGIT.search(head) else 0.45)
