"""Standing rules and preferences in the user's own words, and which of them a later one superseded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.errors import checkpoint
from compact_chat.facts.user import Request
from compact_chat.facts.words import any_of, items_under, pattern, sentences
from compact_chat.text import marked_lines

RuleKind = Literal["constraints", "preferences"]

# Patterns by position: at the start of a sentence, at the start of a word, anywhere.
# Every part is bounded, so that matching stays linear.
_LEAD_WORDS = (
    "and also but so then please pls just ok okay yes yeah no now well actually however btw important note remember"
)
_LEAD = rf"(?:(?:{'|'.join(_LEAD_WORDS.split())})[\s,:;.-]{{1,4}}){{0,3}}"
_HEADED = (
    r"(?:(?:\w{1,15},? ){0,3}(?:ask|note|request|reminder|rule|preference|constraint|thing|way|wish|my mind|fyi"
    r"|ps)(?: \w{1,15}){0,2}[:,] )?"
)
_WISHED = (
    r"(?:(?:(?:can|could|will|would) you|I(?:['’]d like| would like| need| want) you to|(?:you|we)(?: all)? (?:have"
    r"|need|ought) to|(?:make it so|see to it) that|it(?:['’]d| would) be (?:nice|great|good|better|best"
    r"|helpful) if you(?: could| would)?|try(?: to| and)|aim to|(?:keep in mind|remember|note|be aware|mind) that"
    r"|(?:remember|take care|be careful) to) (?:please |always )?)?"
)
_START = rf"^[\W_]{{0,4}}{_LEAD}{_HEADED}{_WISHED}"
_FEELINGS = "know|think|understand|see|get it|worry|mind|remember|care|need to|have to|seem|forget about|like|enjoy"
_DO_NOT = rf"(?:do not|don['’]?t)(?!\s+(?:{_FEELINGS})\b)"
_NEVER_ALWAYS = (
    rf"(?:never(?! mind| heard| seen| saw| had| got| been| knew| thought| again| told| said| did| gave"
    rf"| \w{{2,20}}ed\b)|always(?! the same)|{_DO_NOT})"
)
# Which one of several is a choice, no preference.
_ONE_OF_THEM = (
    r"(?:the )?(?:first|second|third|last|latter|former|other|option|version|approach|this|that|it|one(?! \w)|\d)\b"
)
_ORDERS = (
    f"{_NEVER_ALWAYS}|avoid|prefer|favou?r|(?:stick (?:to|with)|go with)(?! {_ONE_OF_THEM})|make sure|ensure"
    f"|be sure to|refrain from"
    "|let['’]?s not|let us not|let['’]?s (?:stick|stay|keep)|try not to"
)
_DEEDS = "use|edit|change|touch|modify|run|write|read|add|commit|push|install|do|make|fix|test"
_NEVER = rf"{_NEVER_ALWAYS}\b"
_CLAUSE_WORDS = "and|but|so|then|please|to|you"
_LANGUAGE = any_of(
    """
    english german french spanish italian portuguese dutch polish russian ukrainian czech turkish arabic
    hindi chinese japanese korean swedish danish norwegian finnish greek hebrew
    """
)
_CONSENT = (
    r"(?:go|ok\b|okay|approv|confirm|permission|review|feedback|sign|answer|reply|response|command|word|input|consent)"
)
_SHAPE = (
    r"lower-?case|upper-?case|all caps|caps|json|yaml|xml|csv|markdown|html|plain text|bullet\w{0,10}|prose|haiku|rhyme"
    r"|(?:one|two|three|\d{1,2}) (?:sentences?|lines?|words?|paragraphs?)|a single|full sentences"
    r"|the (?:first|third) person"
)
_AMOUNT = (
    r"(?:\d{1,4}(?:\s?[-–]\s?\d{1,4})?|(?:one|two|three) or (?:two|three|four)|a few|one|two|three|four|five"
    r"|ten) (?:words?|sentences?|lines?|bullets?|paragraphs?|characters?|points?)\b"
)
_ANSWER = "answers?|repl(?:y|ies)|responses?|messages?|outputs?|summar(?:y|ies)|commits?|turns?|files?|functions?"
_FORM = "reply|answer|respond|speak|talk|communicate|write|explain|think|output|return|print"
_TELLING = "show|tell|explain|ask|check|confirm|verify|describe|list|propose|discuss|plan|review|read|test|run|warn"
_DOING = f"{_DEEDS}|ask|wait|stop|tell|check|show|explain|update|keep|include|let me|give|follow|confirm|say|mark|put"
# Verbs that tell somebody what to do, where a condition, an exception or a manner comes with them.
_VERBS = any_of(
    """
    add adhere admit align answer apply ask batch be bump call challenge check choose cite clarify close
    commit compare confirm convert copy create credit declare default define delete describe discuss do
    document double-check draft edit enable end escape estimate exclude explain export extend fail favou?r
    finish fix flag focus follow format generate give go group handle hide ignore implement import include
    indent inform inline insert install invoke justify keep label lead leave limit link lint list log make
    mark match measure mention merge mock move name note notify number offer omit order output pause persist
    pick pin place point post present preserve print prioriti[sz]e propose provide pull push put quote raise
    read rebase record refer release remove rename repeat replace reply report respect respond restart
    return reuse review revert rewrite round run save scope search send separate set show sign simplify skip
    sort specify split squash stage start state stay stick stop store strip structure submit suggest
    summari[sz]e surface switch tag take target tell test think throw track translate treat type update use
    validate verify wait warn work wrap write
    """
)
_ON_END = r"\W{0,4}$"
_SURELY = "(?:(?:explicitly|specifically|absolutely|strictly|clearly) )?"
_NO_REPORTS = any_of(
    """
    new_(?:message|error|mail|result|event|issue|row|entr|line) problem worries change error result idea
    luck need thanks? way such tests? clue rush more_(?:error|problem|issue|question|idea|time|luck) longer
    one not that it this the wait but i you we they he she because so please output difference response
    effect success progress answer reply sign trace matter doubt surprise joy go time big real good what is
    was its there let stop use do don
    """,
    then=r"\w{0,2}\b",
)
_ONCE = (
    r".*\b(?:for now|for this (?!repo|project|code)|this time|t?here\W*$|for (?:a|the next|\d{1,3}) ?(?:min|sec"
    r"|moment|while|bit|hour))"
)  # what holds for one step
_NEWS = any_of(
    r"""
    messages? errors? e?mails? results? events? issues? warnings? failures? rows? entries data info\w*
    problems?
    """,
    then=r"\b",
)
_STORIES = r"(?:I|we|it|that|this|the|they|he|she|my|all)\b"
# Parts of a project or an answer. "X should be Y" is a norm for these; for a page or a button it is a task.
_ARTIFACTS = any_of(
    r"""
    code tests? test_suite functions? methods? classes modules? components commits? commit_messages?
    comments? names variables? constants? identifiers? answers? repl(?:y|ies) responses? explanations?
    messages? errors exceptions? warnings? logs? log_(?:lines|messages|entries) docs? documentation
    docstrings? readme changelog prs? pull_requests? branch(?:es)? files file_names? imports? lines types
    type_hints? diffs? patches dependencies migrations? secrets? passwords? credentials keys strings dates
    timestamps times numbers prices amounts outputs? logging endpoints? apis? interfaces? signatures? format
    schemas? scripts? bundle build quer(?:y|ies) sql css html headings? titles? links? urls paths flags?
    versions? features? changes edits fixes refactorings? releases? packages? helpers? constructors? naming
    translations config\w* settings notes summar(?:y|ies) examples steps bullets? lists? tables
    """
)
_PEOPLE = (
    r"(?:an? |the |our |my |some)?(?:users?|people|customers?|clients?|visitors?|admins?|somebody|someone|body|one"
    r"|colleagues?|boss|manager|team|guests?|players?)"
)
# States that a thing has to get into once, and guesses at why something is so.
_TASKS_AND_GUESSES = (
    r"(?:have (?:been|\w{1,20}ed)|be (?:\w{1,20}ly )?(?:fix|chang|updat|restart|regenerat|rebuil|reset|redo|rewrit"
    r"|check|merg|mov|remov|delet|add|install|look|migrat|adjust|re\w{2,12}(?:ed|n)\b|bump|clean|investigat|done|finish"
    r"|ready|because|some|there|flaky|wrong|broken|work|passing|able|ok|fine|good|enough|possible|easy|gone|the\b|an?\b"
    r"|in (?:the|here|there|a)\b)|know|wait|happen|come|be\W*$|\w{1,20}(?: \w{1,20})? (?:again|first|now)\W*$"
    r"|.{1,60}\bnow\W*$)"
)
_PARTS_OF_ANSWERS = any_of(
    """
    text prose code words bullets? bullet_points comments? explanations? emojis? fluff jargon pleasantries
    preambles? intro(?:duction)?s? summar(?:y|ies) disclaimers? apolog(?:y|ies) boilerplate filler
    small_talk markdown headings
    """
)
_HAPPENS = (
    r"(?:(?:is|are|was|were|do|does|did|now|again|still)\b"
    r"|(?:(?:fail|crash|break|pass|show|return|look|work|miss|appear)(?:s|ed)?|broke)\b)"
)

_AT_START = pattern(
    rf"""
    (?:{_ORDERS})\b
    |keep\b(?!\s+(?:it up|on\b|in mind|me (?:posted|updated|informed)|(?!using)\w{{2,20}}ing\b)|{_ONCE})
    |only\s+(?!one\b|two\b|an?\b|some\b|the (?:first|second|third|last|other|one)\b)(?:(?:then|ever|please
        |\w{{1,20}}ly)\s+)?
        (?:{_DEEDS}|{_FORM}|include|allow|the|these|this|in|if|when|after)\b
    |use\s(?!{_ONCE})(?!(?:it|this|that|them)\b|an?\s.{{1,80}}\sto\s|\S{{1,30}} to \w{{1,20}} (?:it|this|that|them)\b
        |the (?:one|first|second|third|last|other|same|former|latter)\b)(?>\S{{1,60}}+\s?+){{1,12}}+$
    |only (?!{_STORIES}|one\b|two\b|three\b|some\b|an?\b|[a-z]{{2,12}}s\b)[a-z]{{3,12}} .{{1,80}}
        \b(?:after|when|if|once|unless)\b
    |no changes? (?:to|outside|beyond)\b|minimi[sz]e\b
    # Where to stay, and what to leave.
    |stay (?:on|in|within|inside|under|below|away|out)\b
    |leave .{{1,80}}\b(?:alone|untouched|unchanged|as (?:it|they) (?:is|are)|as[- ]is)\b
    |(?:limit|restrict|cap|treat|name|prefix|format|round|spell) (?!it\b|this\b|that\b|them\b).{{1,60}}\b(?:to|as
        |after|with|in|out)\b
    |no (?:new|extra|further|additional) (?!{_NEWS})\w
    # What to stop and to leave out.
    |(?:stop|quit) (?:using|adding|writing|apologi|asking|making|putting|touching|changing|creating|committing
        |explaining|repeating|guessing|calling|including|generating|wrapping|formatting|being|saying|telling|giving
        |suggesting|assuming|inventing|deleting|removing|over)\w*
    |(?:skip|omit|cut|spare me|drop|less|fewer|more|just|only|short
        |no) (?:the |your |any )?(?:[\w-]{{1,20}} ){{0,2}}(?:{_PARTS_OF_ANSWERS})\b(?:,? (?:please|and|but|or|from|in
        |unless|no|only|less|more)\b|[,;]|{_ON_END})
    |(?:go easy|hold back|cut down) (?:on|with)\b|no need (?:to|for)\b|feel free to be\b
    |(?:hold off|hold back|wait) (?:on|with) .{{1,80}}\b(?:until|till|unless)\b|stop (?:after|at
        |as soon as) (?:the|an?|any) \w
    # In which manner to work.
    |(?:get|come) (?:straight )?to the point|admit (?:uncertainty|when|mistakes)|focus on .{{1,60}}\brather than\b
    |(?:state|surface|flag|list|mention|call out) (?:your |any |all |the )?(?:assumptions?|uncertaint\w{{1,4}}|doubts?
        |risks?)\b
    |(?:match|respect|preserve|mimic|reuse|mirror) (?:the |our |all |any )?(?:existing|current|surrounding)\b
    |(?:make|take|aim for) (?:only )?(?:small|focused|minimal|reasonable|single|incremental|careful|your time|about \d
        |[~\d])
    |(?:explain|tell|show|describe|say) .{{1,40}}, not (?:just|only)\b
    |(?:show|write|format|wrap|put) (?:all )?(?:urls?|links?|paths?|names?|code|numbers?|dates?|commands?
        |file ?names?) (?:in|with|as)\b
    |(?:include|provide|cite|show|give|add|list|explain|describe
        |mention) .{{1,60}}\bin (?:your |the |all |every |each |any )?(?:final )?(?:summar(?:y|ies)|answers|replies
        |responses|explanations|commit messages?|pull request descriptions?)\b
    |(?:write )?(?:the |a |failing )?tests? first\b|write (?:the |a )?(?:failing )?tests? (?:first|before)\b
        |.{{3,60}}: plan first\b
    |(?:number|keep|limit|shorten|cite|back up|format|prefix|label|order|structure|link) (?:up )?your (?:questions
        |answers?|replies|responses?|assumptions|sources|claims|reasoning|steps|messages|options)\b
    |(?:end|close|finish|lead) (?:\w{{1,20}} )?with (?:an?|the)\b
    |(?:write|answer|reply|explain|give|keep|make|add|return|show|do) .{{1,60}}\bwithout (?:unnecessary|any|extra
        |additional|needless|adding|introducing)\b
    |(?!{_STORIES}|[a-z]{{2,12}}(?:s|ed)\b)[a-z]{{3,12}}\b.{{0,80}} (?:before|after) (?:commit|push|merg|mark|finish
        |complet|chang|edit|delet|modif|renam|refactor|writ|answer|reply|respond|creat|execut|releas|deploy|proceed
        |continu|apply|implement)\w{{0,4}}ing\b
    |(?:leave|hand|give) .{{1,40}} (?:to|for) me{_ON_END}|I['’]ll \w.{{0,40}}\b(?:myself|on my own){_ON_END}
    # With a condition that can come again, an exception or a measure.
    |(?:when|whenever|while|before|after) (?:\w{{2,20}}ing|you|asked|in doubt|unsure)\b[^,]{{0,120}}, (?:then[ ]
        |please |also )?
        (?:{_VERBS})\b
    |(?:when|whenever) I \w[^,]{{2,80}}, (?:then |please |also )?(?:{_VERBS})\b(?! (?:the|this|that|it)\b)
    |if you (?:have|need|find|see|are|get|want|must|do|can['’]?t|cannot|run|notice|spot|think|believe|change|add)\b
        [^,]{{0,120}}, (?:then |please |also |just |directly )?(?:{_VERBS})\b(?! (?:it|them)\W{{0,3}}$)
    |no (?:[\w-]{{2,20}} ){{1,4}}(?:beyond|unless|except|other than)\b
    |(?:after|before|for|with|on|in) (?:each|every) [\w-]{{2,20}},? (?:please |also |then )?(?:{_VERBS})\b
    |(?:write|make|give|send|create|choose|pick) (?:me )?(?:short|brief|concise|detailed|small|simple|clear|clean
        |descriptive|meaningful|atomic|focused|plain|readable) (?:\w{{2,20}} )?\w{{2,20}}s{_ON_END}
    |(?:{_VERBS})\b.{{1,60}}\b(?:only (?:what|your own)\b|as (?:if|though) \w
        |(?:before|after) (?:changes|edits|commits|merges|deploy\w{{0,5}}|releases|(?:mak|add|us|tak|start|runn
        |install|mov|publish|deliver|submit|send|open|clos|design)ing)\b)
    |(?:provide|give|show|return|raise|throw|log|answer|send|name|write) [^,]{{2,60}}, not (?!now|yet|sure|that|this
        |it\b)\w
    |(?:confirm|plan|think|propose|discuss)\b[^,]{{2,60}}, (?:and )?then\b
    |be (?!careful|quick|right|back|sure|there|ready|happy|nice|good|it\b|that)[a-z-]{{4,16}}
        (?:(?:, |,? and )[a-z-]{{4,16}}){{0,4}}{_ON_END}
    |(?:let['’]?s )?(?:(?:switch|change|move|go back) (?:back )?to|use) (?:\w{{1,20}} )?(?:tabs|spaces|npm|yarn|pnpm
        |bun|pytest|unittest|jest|vitest|mocha|{_LANGUAGE})(?: instead)?{_ON_END}
    # When to wait, and what to tell before.
    |(?:wait|hold off|hold on) (?:for|until|till) (?:[\w'’]{{1,12}} ){{0,3}}(?:{_CONSENT}|instruct)
    |(?:wait|hold off|hold on) (?:for|until|till) (?:i|we)\b
    |(?:ping|warn|message|alert|notify|consult|tell) (?:me|us) (?:first|before|every time|each time)\b
    |ask (?:me |us )?(?:first|before|if|when|whenever|for (?:my |our |explicit )?{_CONSENT})
    |check (?:back |in )?with (?:me|us)\b
    |(?:stop|pause) (?:after (?:each|every)|before|whenever|and (?:ask|wait|let|tell))\b
    |let (?:me|us) (?:review|approve|confirm|see|know|check|test)\b.{{0,60}}\b(?:before|first|whenever)\b
    |(?:{_TELLING})\b.{{1,80}}\bbefore (?:you\b|(?:\w{{1,20}}ing|any|each|every)\b)
    |(?:{_DEEDS}|update|lint|format|check|rebase|save)\b.{{0,60}}\b(?:after|before|on|with|at the end of) (?:each
        |every|any|completing|finishing)\b
    # In which form to answer and to write.
    |(?:{_FORM})\b.{{0,40}}\bin (?:\w{{1,12}} )?(?:{_LANGUAGE}|{_SHAPE}|(?:the (?:same )?|my )language)\b
    |(?:{_FORM}|give|show|list|present|format)\b.{{0,60}}\bas (?:an? )?(?:table|word|words|bullet|numbered|diff|haiku
        |poem)
    |explain .{{0,40}}\b(?:simply|like I|in (?:simple|plain|everyday)|step by step|briefly)\b
    |be (?:more |very |as )?(?:concise|brief|direct|short|terse|explicit|polite|precise|strict
        |honest|brutally honest|patient|thorough|blunt|critical|objective|professional|friendly|formal|casual|realistic
        |consistent|careful (?:not|never|with))\b
    |(?:(?:give|write|send)(?: me)? )?(?:short|brief|concise|detailed|long|simple|plain) (?:answers?|replies
        |responses?|explanations?|sentences)\b
    |(?:follow|adhere to|conform to|comply with) .{{0,60}}(?:principles?|conventions?|styles?|guide\w{{0,5}}
        |standards?|patterns?|rules?|[A-Z]{{2,6}}[ -]?\d{{1,6}})\b
    |ask (?:me )?(?:clarifying )?questions? (?:before|if|when|first|only)\b
    |(?:tell|remind|notify|warn|inform) me (?:to |of |about |whenever |before |every |each |any |(?:if|when) (?:an?
        |any|you) )
    |(?:new|all|any|docs|tests?|code|files|helpers|types|styles|components|secrets)\b.{{0,30}}\b(?:goes?|belongs?
        |lives?) (?:in|under|into|to|through|via)\b
    |put (?:all|every|any|new|each) .{{1,60}} (?:in|under|into) |just the (?:answer|code|result|command|diff)\W{{0,4}}$
    |tell me .{{0,20}}\b(?:when(?:ever)?|if) (?:some|any)thing\b|.{{3,80}},? then (?:wait|stop|pause|ask)(?: me
        | for me)?{_ON_END}
    |work (?:only )?(?:on|in) (?:an?|your own|separate)\b|(?:each|every) .{{1,40}} gets\b|I (?:need
        |want) (?:everything|every|each) \w
    |all (?:times|dates|names|messages|comments|strings|numbers|logs|answers) (?:in|as|with|without)\b
    |would you mind (?:not|answering|replying|writing|speaking|using)\b
    |assume\b(?! so\b)|pretend (?:that )?(?:I|you)\b|(?:talk|write|act|behave|code) (?:to me )?like (?!this|that)\w
        |spare me\b|hands off\b
    |nobody (?:but|except)\b|only (?:I|we) (?:merge|push|deploy|commit|decide|release)\b
    |(?:push|commit|merge|deploy|release|install|delete|publish) only (?:after|when|if|once|to|from)\b
    |(?:confirm|clear|align|discuss) (?:it |that |this |everything )?with (?:me|us)\b|get my (?:ok\b|okay|approval
        |permission|consent)
    |[a-z]{{3,12}}(?: back)?\b.{{0,60}}\b(?:after|before) (?:each|every) (?:step|change|file|commit|task|edit|function
        |section|feature|phase|milestone|turn|round|push)\b
    |(?:british|american|plain|simple|formal|informal|us|uk) (?:english|spelling|language|words)\b
    |(?:fewer|less|shorter|smaller|simpler) (?:[\w-]{{2,20}} )?is (?:better|more)\b
        |(?!{_STORIES})(?:[\w-]{{2,20}} ){{1,2}}are (?:fine|ok|okay|allowed|welcome){_ON_END}
    |sign off\b|exactly (?:one|two|three|four|five|\d)|.{{1,40}}\b(?:one|a single) (?:step|file|thing
        |change) at a time\b
    |(?:include|add|mention|put|append|prepend|insert|quote|cite|provide|state|repeat) .{{1,80}}\b(?:in|to|at|before
        |after|with|for) (?:the (?:start|end|top|bottom) of )?(?:each|every|all
        |your) (?:\w{{1,20}} )?(?:{_ANSWER})(?!.{{0,40}}\bthat\b)
    |(?:reply|answer|respond|speak|talk|communicate)\b(?! (?:my|the|this|that|these|to)\b).{{0,60}}\b(?:in|with|using
        |only|briefly|concisely|at most|as|like)\b
    |(?:{_FORM}|{_DEEDS}|edit|give|show|list|send|work)\b.{{1,80}}\b(?:only|throughout|everywhere){_ON_END}
    |write (?:all|every|everything|each|any|numbers|dates|comments)\b.{{1,60}}\b(?:in|as|with|without)\b
    |(?:start|begin|end|finish|prefix|sign|close|open) (?:all|every|each|your|any) (?:\w{{1,20}} )?(?:{_ANSWER})\b
    |(?:call|address) me\b
    |(?:give|show|print|output)\b.{{1,60}}\b(?:without|no) (?:any )?(?:expla|comment|prose|intro|text|markdown|other)
    |(?:work|go|proceed|move|make|take|do)\b.{{0,40}}\b(?:small|tiny|atomic|one|step by)\b.{{0,12}}\b(?:steps?
        |commits?|at a time)\b
    |one \w{{1,20}}(?: \w{{1,20}})? (?:per|at a time|for each)\b
    |(?:speak|in) (?:{_LANGUAGE})(?: please| from now on)?{_ON_END}
    |(?:max(?:imum)?|min(?:imum)?|at most|at least|no more than)\b.{{1,60}}\d
    # What follows a condition that can come again.
    |(?:before|after|whenever|when|every time|each time|while|in|for|with|on) (?!{_STORIES}|done\b|finished|ready
        |you['’]?(?: a)?re (?:done|finished|ready))[^,]{{2,120}},\s{{1,3}}(?:then |please |also )?(?:{_ORDERS}
        |{_DOING})\b
    |if (?!{_STORIES}|not\b|so\b|yes\b|possible|needed
        |necessary)[^,:]{{2,120}}[,:]\s{{1,3}}(?:then |please |also |just |simply )?(?:{_ORDERS}|{_DOING}|advise
        |choose|pick)\b
    |(?:when|if|whenever) (?:in doubt|unsure|uncertain)\b|ask (?:me )?(?:when(?:ever)?|if) (?:(?:any|some)thing
        |you(?:['’]re| are)|not sure|unsure|in doubt)\b
    |(?:whenever|each time|every time|any ?time) you\b[^,]{{2,120}}, (?!it\b|the\b|this\b|that\b|there\b|I\b|we\b
        |you\b)\w
    |(?:(?:all|every|each|any)(?! (?:we|you|i|they|that) ) .{{1,60}}|everything |anything )\b(?:needs? (?!to be (?:fix
        |chang|updat))|must|should|shall|ha(?:s|ve) to (?!be (?:fix|chang|updat))|starts? with|ends? with)
    # What has to be so, of whatever thing; what must not come to pass.
    |(?!{_STORIES}|{_PEOPLE} |(?:one|some|any|most|what|which|who|when|why|if|because|since|as|maybe|perhaps|apparently
        |probably|looks?|seems?|guess|you|there|he|first|next|then|now|after|before|these|those|an? {_PEOPLE})\b)
        (?:(?!(?:you|I|we|they|only|just)\b)[\w'’/.-]{{1,24}} ){{1,5}}?
        (?:has|have|needs?|ought|is|are) to (?!{_TASKS_AND_GUESSES})\w
    |the (?!{_PEOPLE}? ?\b(?:has|have|needs?)\b|users?\b|customers?\b|clients?\b|one\b|reason\b|problem\b|cause\b
        |bug\b|issue\b|only\b|goal\b|idea\b|plan\b|point\b|task\b|next\b)(?:[\w'’/.-]{{1,24}} ){{1,4}}?
        (?:has|have|needs?) to (?!{_TASKS_AND_GUESSES})\w
    |(?:(?:all|every|each|any|an?|the|our|your|new|public|such) ){{0,2}}(?:[\w-]{{2,20}} ){{0,2}}(?:{_ARTIFACTS})
        (?: \w{{1,20}}){{0,3}} (?:should(?:n['’]t| not)?|shall|may not|(?:go|goes|belongs?) (?:in|into|under)
        |(?:will|can|get|gets)(?: not|n['’]t| never)? be (?:merged|accepted|approved)|won['’]t be (?:merged|accepted)
        |(?:is|are)(?: not|n['’]t) (?:done|finished|complete|ready) (?:until|unless|without)
        |(?:can['’]?t|cannot) (?:change|break|grow|exceed|depend|rely)|(?:start|begin|end)s? with|stays? (?:in|under
        |within|on))\b
        (?! {_TASKS_AND_GUESSES}|$)
    |(?:it['’]?s|it is) (?:\w{{1,20}} )?(?:important|essential|crucial|critical|vital|imperative|mandatory|forbidden
        |required|non-negotiable)(?: to (?:me|us))? (?:that|to)\b(?! (?:understand|know|note|see|find|remember)\b)
    |nothing .{{1,60}} (?:without|unless|until|before)\b|nothing (?:\S{{1,20}} ){{0,6}}(?:may|must|should(?! have)
        |shall)\b
    |(?:whenever|every time|each time|any ?time) [^,]{{2,120}}, (?:please |also |then )?(?:{_VERBS}|regenerate
        |rebuild)\b
    |(?:(?:all|every|each|our|new) )?(?:\w{{2,20}} )?(?:{_ARTIFACTS}) (?:is|are) (?:always |all )?(?:in )?(?:lower
        |upper|camel|snake|kebab|pascal|title)[ -]?case
    |leave (?!it\b|the rest)[^,]{{2,40}} to (?!later|next)[\w -]{{2,20}}{_ON_END}
    # With what, for what and until when.
    |(?:use|go through) \S.{{1,80}}\bfor (?:all |every |any )?\w{{1,20}}s{_ON_END}
    |(?:max(?:imum)?|min(?:imum)?|at most|at least|no more than|never more than) (?:one|two|three|four|five|six|ten|a)\b
    |(?:in|for|on|with) (?:this|our|the) (?:repo|repository|project|code ?base|module|package|team|branch),?[ ]
        (?!there|the\b|it\b|its|is\b|are\b|was|were|we (?:have|had)|I\b|a\b|an\b|how|what|where|which|why|who|that
        |does|do (?:we|you|they|I)\b|can\b|and\b|or\b|but\b|because)[a-z]{{3,12}}\b(?! (?:is|are|was|has|have)\b)
    |(?!{_STORIES}|[a-z]{{2,12}}(?:s|ed)\b|(?:of|to|in|on|at|for|by|with|from|as|is|are)\b)[a-z]{{2,12}}\b(?! (?:is
        |are|was|did|does)\b).{{0,80}}\b(?:without (?:adding
        |introducing|creating|installing|deleting|removing|renaming|moving|rewriting|altering|affecting|losing
        |duplicating|requiring|restarting|exposing|logging|copying|mocking|depending)|(?:instead of|rather than)[ ]
        \w{{2,20}}ing|only (?:after|once|when|if)|not (?:before|until|unless|without)
        |as (?:few|little|short|small|simple|simply|concise|brief|minimal|close)\b.{{0,30}} as (?:possible|you can)
        |as you go)\b
    |(?:instead of|rather than) [^,]{{2,60}}, [a-z]{{2,12}}\b
    |(?:show|tell|give|send|present|explain|list)\b.{{1,60}} first,? (?:and )?then\b
    |(?:give|present|outline|draft|send|offer|post|make|take|create|write)\b.{{1,60}}\bbefore (?:you\b|(?:any|each
        |every)\b)
    |(?:remember|take care|be careful) (?:to|never|not)\b|explain .{{0,40}}\b(?:as if|like|as though) (?:I|you|to)\b
    |(?:speak|explain) (?:to me )?like (?!this|that)\w|act as (?:an?|if|my)\b|target (?:[\w.]{{1,20}} ){{1,2}}v?\d
    |(?:write|format|document|name|return|log) .{{1,40}} in (?!the )(?:\w{{1,20}} ){{1,2}}(?:style|format|case|mood
        |tense|notation)\b
    |ignore (?:.{{1,40}} )?(?:folder|directory|dir|files|warnings|generated \w{{1,20}}|vendor\w*|lint\w*){_ON_END}
    |(?:naming|code style|coding style|commit messages?|indentation|branch names?|line endings?|tone): \w
    # Other languages.
    |(?:antworte|schreibe?|sprich|verwende|benutze|nutze) (?:mir )?(?:bitte )?(?:immer|nur|auf|in|stets|nie)\b
    |(?:warte auf mein|frage? (?:mich|erst|vorher|zuerst)|bevor du|immer wenn du|keine? (?:neue|weitere)n? )
    |(?:immer|stets|nie|niemals|siempre|toujours|sempre|всегда|никогда|завжди|ніколи)\s
    |(?:responde|contesta|escribe|habla|responda|rispondi|scrivi|réponde?[sz]|écris|parle)\b.{{0,30}}\s(?:e[nm]|in)\s
    |(?:pregúntame|pregunta|demande|demandez|chiedi)\b.{{0,20}}\b(?:antes|avant|prima)\b
    |(?:отвечай|пиши|говори|відповідай|пиши|надай|надавай|отвечайте)\b.{{0,40}}\s(?:на|по|українською|російською)
    """
)
# Wishes without a verb, such as "no emojis", "tabs, not spaces", "JSON only".
_BARE = pattern(
    rf"""
    (?:no (?:new|extra|further|additional) (?!{_NEWS})\w
        |no (?!{_NO_REPORTS}|.*\b(?:ha[sd]|have|found|left|there|yet|shown|changed|needed|provided|given
        |specified|available|configured|detected|selected|collected|installed
        |required|output at all)\b|comment\b)(?:[a-z-]{{1,20}} ){{0,6}}[a-z-]{{2,20}}(?:\W{{1,4}}(?:use|just|only
        |please|unless|plain|no|but)\b.*|[^\w:]{{0,4}}$))
    |(?:{_PARTS_OF_ANSWERS}),? only\b
    |(?!for\b|on\b)(?:[\w-]{{2,20}} ){{1,4}}only{_ON_END}
    |(?:(?:{_DEEDS}|answer|reply|respond|show|assume) .{{1,80}}|(?:[\w-]{{2,20}} ){{1,3}})by default{_ON_END}
    |(?:[\w-]{{2,20}} ){{1,3}}(?:everywhere|throughout){_ON_END}
    |(?:[\w-]{{2,20}} ){{1,2}}(?:for (?:all )?(?:strings|variables|constants|classes|functions|names|files|tests
        |indentation|lists|headings|commits|branches|everything|types|comments|keys)|in (?:{_LANGUAGE})
        |at the (?:end|top|start|bottom))\b[^.]{{0,30}}{_ON_END}
    |(?!(?:new|the|some|more|these|those|other)\b)(?:any |every )?(?:[a-z]{{2,15}} )?(?:times(?:tamps)?|dates|names
        |messages|comments|strings|units|numbers|logs|docs
        |replies|answers|headings|titles|prices|variables|constants|identifiers) (?:always )?(?:in|as|with|without)\b
    |(?!yes|why|if|or|of|maybe|probably|definitely|certainly|you\b)[\w-]{{2,20}},? not
        (?! \w{{1,10}}ing\b| sure| yet| really| that| this| it\b) [\w-]{{2,20}}{_ON_END}
    |[\w-]{{3,20}} over [\w-]{{3,20}}{_ON_END}
    |(?:[\w-]{{2,20}} ){{1,2}}first, (?!then).{{2,40}}\b(?:second|later|last|after)\b
    """
)
_AT_A_WORD = pattern(
    rf"""
    (?:{_CLAUSE_WORDS})\s{_NEVER}
    |must(?:n['’]?t| not)?\b(?!\s+(?:be (?:another|kidding|joking|wrong|right|mistaken|there)|have (?:been
        |\w{{1,20}}(?:ed|en|t|ne))|be (?:because|some\w*|an? (?:\w{{1,20}} ){{0,2}}(?:problem|bug|issue|error|reason
        |mistake|typo|race|condition|leak|mismatch|conflict|regression|coincidence|misunderstanding|thing)))\b)
    |(?:should|shall|may|can)(?: not|n['’]?t) be\b
    |should(?: not|n['’]?t| never(?! happen| occur| be the case)| always| only| stay| remain| keep)\b|may (?:not|only
        |never)\b
    |only\b.{{1,80}}\bshould\b|should \w{{2,15}} (?:in under|in less than|within|at most|under)\b|nothing (?:may
        |should|must|can|shall)\b
    |(?:is|are) (?:not allowed|forbidden|prohibited|banned|disallowed|taboo|frowned upon|frozen|locked|sacred
        |mandatory|off[- ]limits|read[- ]only|out of scope|(?:an? )?(?:absolute )?no-go|non-negotiable|not an option
        |out of the question|a hard requirement|a must)\b
    |are not (?:allowed|permitted) to\b
    |you (?:can['’]?t|cannot|can not|may not|are not to|aren['’]t to) (?:{_DEEDS}|delete|remove|create|rename)\b
    |(?:compatibility|coverage|approval|review|docstrings?|comments?|types) (?:is|are) (?:required|a must)\b
    |(?:has|have|needs?) to (?:stay|remain|support (?!this|that|it)|fit\b|run (?:on|under|in)|work (?:with|without|on
        |in|under|offline)|start with|end with|be (?:\w{{1,20}} )?(?:compatible|deterministic|unique|readable
        |accessible|idempotent|reproducible|in [A-Z]))
    |(?:needs?|requires?) (?:my|our|explicit|prior) (?:approval|review|permission|consent|okay|ok|sign-off)\b
    |only the (?:smallest|minimal|necessary)\b|using only\b|you can only\b
    |(?:you (?:can|may)|it(?:['’]s| is) (?:fine|ok|okay) to) .{{1,60}} but (?:not|never|only|don['’]?t)\b
    |you(?:['’]re| are) (?:only |not )?allowed to\b|let['’]?s agree\b|one (?:[\w-]{{1,20}} ){{1,2}}per \w
    |(?:max(?:imum)?|at most|no more than|up to) \d
    |(?:so|hence|therefore),? (?:please |always )?(?:keep|use|avoid|don['’]?t|stick|be|make sure|no)\b (?!it\b|that\b
        |this\b)\w
    |(?:when(?:ever)?|before) you (?:mention|write|change|add|edit|create|use|rename|refactor|touch|quote|reference
        |answer|reply|commit|propose|suggest|delete|introduce|decide|claim|push|merge|install)[ ]
    |(?:once|when|after) you(?:['’]re| are) (?:done|finished) with (?:an?|each|every|any)[ ]
    |(?:read|write|edit|work) only (?:to|in|from|under|inside|within)\b|(?:is|are) always (?!\w{{1,20}}ing\b)
    |(?:line length|max(?:imum)? (?:\w{{1,20}} )?(?:length|size|width|depth)) (?:is|of|:) ?\d
    |so (?:there (?:should|must) be )?no (?:\w{{1,20}}[ -]){{0,3}}\w{{1,20}}\W{{0,4}}$
    |(?:until|till) I (?:say|tell|approve|confirm|ask|have|give|am|check|review|ok)\b
    |(?:unless|only (?:if|when)(?: I| the user| you(?:['’]re| are)?| blocked)?|where|when(?:ever)?) {_SURELY}(?:asked
        |told|requested|instructed|necessary|needed|in doubt|unsure|appropriate|applicable|noticed)\b
    |unless (?:I|you(?:['’]re| are)|it['’]?s|it is|explicitly|absolutely)\b
    |without (?:using|changing|touching|modifying|breaking)[ ]
    |exactly (?:one|two|three|four|five|\d{{1,3}}) (?:\w{{1,20}} )?(?:words?|sentences?|lines?|bullets?|points?
        |paragraphs?)\b
    |(?:{_FORM})\b.{{0,40}}\b(?:in|under|within|at most|up to|no more than) (?:under |at most |about )?{_AMOUNT}
    |without (?:me|us|my|our|asking|prior|explicit|checking|permission|approval|confirmation|telling)\b
    |(?:from (?:now(?: on| onwards?| forward)?|(?:here|this point) (?:on|onwards?|forward))\b(?!,? (?:it|this|that
        |they|I) (?!should|must|has|have
        |want))|as a (?:\w{{1,20}} )?rule|going forward|for (?:all |any )?future|at all (?:times|costs)
        |under no circumstances|in no case|on no account|no matter what
        |without exception|in (?:the )?future|for the rest of (?:this|the))\b
    |(?:I['’]d|I would|I) (?:like|want|need)(?: you)? to .{{1,80}}\b(?:after|before|with) (?:each|every|any)\b
    |(?:we|you) (?:can['’]?t|cannot|may not|must not) (?:use|have|add|change|break|rely|touch|depend|ship|install)\b
    |(?:I|we) (?:do not|don['’]?t) want\b(?! to (?:know|wait|go|hear|bother|argue|be|lose|spend|talk|think|deal)\b)
    |(?:niemals|auf keinen fall|darf nicht|dürfen nicht|bitte (?:nicht|keine?n?|immer|nur))\b
    |verwende (?:nur|immer|nie)\b|(?:ne jamais|il ne faut pas|évite[rz]?|utilise[rz]? (?:uniquement|toujours))\b
    |(?:nunca|siempre usa|usa (?:solo|siempre|sempre)|no (?:uses|cambies|toques|modifiques|hagas)|não (?:use|mude
        |altere|toque|faça)|non (?:usare|modificare|toccare))\b
    |(?:никогда не|всегда используй|нельзя|не (?:используй|меняй|трогай|використовуй|змінюй|чіпай)|обязательно)\b
    """
)
_ANYWHERE = (
    (
        rf"[,;:(–—-]\s?(?:and |but |just |please ){{0,2}}(?:{_NEVER}|avoid\b|nothing (?:expensive|fancy|else|new"
        rf"|more|outside|should|may|must)|stay (?:under|below|within)\b|no (?:{_PARTS_OF_ANSWERS})\b"
        rf"|only (?:{_DEEDS})\b|but (?:please )?(?:keep (?!\w{{1,20}}ing\b|it up)|leave|use only|ask me|tell me"
        rf"|make sure)\b)"
    ),
    (
        "不要|不得|禁止|必须|务必|请勿|只能|始终使用|请用|用中文|用英文|以后都|都要|先问我|代码风格|尽量|しないで|必ず|使わないで|日本語で|常に"
        "|하지 ?마|반드시|금지|한국어로|항상"
    ),
)
_MANNERS = "ask|explain|apologi[sz]e|repeat|confirm|tell|summari[sz]e|wait|show|comment|mention|be"
_PREFERS = pattern(
    rf"""
    (?:I|we)(?:['’]d| would)? (?:\w{{1,20}}ly |also )?prefer\b(?! (?:to go with |going with )?{_ONE_OF_THEM})
    |I(?:['’]d| would)? (?:\w{{1,20}}ly |also )?(?:value \w|appreciate (?:it )?(?:when|if) |stick to \w)
    |I(?:['’]m| am) (?:allergic to|fine with|ok(?:ay)? with|against|big on|strict about
        |picky about)\b(?! {_ONE_OF_THEM})
    |I care (?:more |mostly |a lot )?about\b|\w{{1,20}} matters more\b
    |I(?:['’]d| would) (?:much |really )?rather\b(?! not know| (?:go with |use |have )?{_ONE_OF_THEM})
    |I (?:\w{{1,20}}ly )?(?:hate|dislike|detest|love|favou?r)\b(?! (?:how|what|this|that|it)\b)|I can['’]?(?:t
        |not) stand\b|I tend to\b
    |I(?:['’]m| am) (?:more of an?|an? (?:big |huge )?fan of)\b
    |I(?:['’]m| am) (?:on|using|running) (?:windows|mac\w{{0,5}}|linux|wsl|ubuntu|arch|debian)\b
    |I(?:['’]d| would) (?:like|love) (?:it if|the \w{{1,20}}s to|(?:all|my|our) .{{2,40}} to)\b
    |(?:my|our) (?:own )?(?:rule|rules|rule of thumb|policy|policies|convention|conventions|standards?|guidelines?
        |style)\b(?! \w{{1,20}}ed\b)
    |I work (?:on|with|in|from) |we (?:target|support|follow|squash|ship on|deploy on|release on)[ ]
    |I only want (?!to\b|you to\b)|(?:is|are|would be) (?:better|nicer|clearer|preferable) .{{0,60}}\bin general\b
    |I want (?:small|short|clean|simple|concise|minimal|plain|readable|explicit|as (?:few|little))\b
    |you (?:do not|don['’]?t) (?:need|have) to (?:{_MANNERS})\b|no need to (?:{_MANNERS})\b|feel free to be\b
    |(?:my|our|this) (?:team|company|repo|repository|project|codebase) (?:uses?|prefers?|follows?|requires?|targets?)\b
    |we (?:do not|don['’]?t) (?:use|write|allow|commit|merge|ship|support|want)\b(?! (?:it|this|that|them)\b)
        |we(?:['’]re| are) on [\w.+-]{{1,20}} ?\d
    |in (?:this|our) (?:repo|repository|project|code ?base|team|code),? we\b(?! (?:have|had|need|got)\b)
    |we (?:use|do|write|name|put|keep|test|log|format|indent|return|throw|import) .{{1,60}} (?:here|everywhere
        |in this (?:repo|repository|project|code ?base))(?:,|{_ON_END})
    |I (?:do not|don['’]?t) need (?:any |long )?(?:{_PARTS_OF_ANSWERS})\b
    |I (?:do not|don['’]?t) (?:\w{{1,20}}ly )?(?:like|enjoy|care for)\b(?! (?:the|this|that|it)\b)
    |I(?:['’]m| am) not (?:(?:an? )?(?:\w{{1,20}} )?fan of|fond of|keen on)\b
    |I (?:\w{{1,20}}ly )?like (?:it when|when|my|your (?:answer|repl)|to (?:see|have|keep|read)|things|short|long
        |small|simple|clean|clear|concise|explicit|plain|verbose|detailed|functional|code|functions|names|tests
        |comments|tabs|spaces|answers|early)\b
    |my (?:preference|preferred \w{{1,20}}|favou?rite \w{{1,20}})\b.{{0,30}}\b(?:is|are)\b
    |(?:I|we) (?:always|usually|normally|generally|typically|mostly|only|never) (?:use|write|run|work|name|put|test
        |keep|do|squash|merge|rebase|format|indent|commit|deploy|start|follow|go with|stick|support|target|allow
        |accept|release|review)\b(?!.*\band (?:it|then)\b)
    |I(?:['’]d| would)? (?:like|want|prefer) to (?:keep|avoid|stay|stick|leave|(?:review|approve|check|confirm
        |decide|test) (?:each|every|all|any))\b
    |I(?:['’]m| am) (?:more )?(?:used to(?! (?:it|this|that)\b)|comfortable with|familiar with)\b
    |I(?:['’]m| am) (?:(?:an?|the only|no|not an?) (?:\w{{1,20}} ){{0,2}}(?:beginner|novice|expert|(?:non-)?programmer
        |dev(?:eloper)?|engineer|student|designer|scientist|admin|manager|maintainer|native)|new to|colou?r-?blind
        |blind|dyslexic)\b
    |I find .{{1,60}}\b(?:hard|easier|harder|annoying|confusing|difficult|clearer|ugly)\b
    |(?:ideally|preferably|(?:if|where|when|whenever|wherever) (?:possible|you can))\b
    |(?:ich (?:bevorzuge|mag (?:keine|lieber|es)|hätte lieber|möchte lieber)|prefiero|prefiro|preferisco|je préfère
        |j['’]aime mieux|предпочитаю|мне нравится|надаю перевагу)\b
    """
)
_PREFERS_ANYWHERE = "我喜欢|我更喜欢|我偏好|好みは|方が好き|선호"

_ASKING_RULE_WORDS = "can|could|would|should|do|does|did|is|are|was|why|what|how|where|which|who"
_POLITELY = (
    r"(?:(?:can|could|will|would) you (?:please )?(?:stop|always|never|avoid|only|not|stick)\b"
    r"|would you mind (?:not|answer|reply|writ|speak|us)\w{0,4}\b)"
)
_ASKED = "we|you|i|it|this|that|the|they|there"
# Reports that use the words of a rule.
_REPORTS = (
    r"\b(?:he|she|they|docs?|documentation|linter|compiler|rule) (?:said|says|told|tells|mentions?|recommends?)\b"
    r"|^\W{0,4}(?:\w{0,30}error|warning|exception|fatal)\b|^\w{1,12} (?:err|error|warn|warning)[!:\]]"
    r"|^(?:if|for|while) ?\(|\b(?:missing|invalid|expected|unmet)\b[^.:]{0,40}: |^(?:const|let|var|assert|return|def"
    r"|import|if|for|while|public|private|class|function)\b[^\n]{0,200}[=(<>][^\n]{0,300}"
    r"(?:[;{}]|\"[^\"]{1,200}\"\)?)\s*$|\bsa(?:ys?|id)\b.{0,120}\bmust\b"
    r"|\b(?:I|it|they|you) always (?:forget|miss|get|crash|fail|break|happen|hang)\w{0,3}\b"
    r"|\b(?:error|explain|message|says?|said|warning|exception|fail(?:s|ed|ing|ure)?)\b[^.]{0,120}"
    r"(?:is|are) (?:not allowed|forbidden|prohibited|mandatory|read-only)\b"
    rf"|\b(?:you|we|I|they) (?:do not|don['’]?t) (?:need|have) to (?!{_MANNERS})"
)

# A sentence with a pronoun needs words of its own to be understood later.
_POINTERS = "it this that them these those"
_COMMON = (
    "i we you me us my a an the and or but so to of in on at for with as is are be was do does did don t ll d"
    " s m re not never always must should can may will would please just now later yet again here there ok okay yes"
    " no use like love prefer hate rather way mind look then ever thing things one idea option make sure get"
    " have want touch change know think wisely instead only too also very really much stop keep leave"
)
_POINTS = frozenset(_POINTERS.split())
_EMPTY = _POINTS | frozenset(_COMMON.split())
LEAST_TOPIC = 2  # words that a matter needs

# Words that negate a rule or announce a change, but do not change its subject.
_TURNING = (
    "never not don t dont do always only instead now no please use can may you from on the a an i prefer d rather we"
    " actually again ok okay sorry well so and but need have to anymore longer"
)
_TURNS = frozenset(_TURNING.split())
# Words of which one takes the place of another, and words that add nothing to what the matter is.
_SAME_MATTER = (
    (_LANGUAGE, "answer answers reply replies respond speak talk communicate write language me"),
    ("tabs|spaces", "indentation indent indenting two four"),
    ("npm|yarn|pnpm|bun", "package packages manager install dependencies"),
    ("short|long|brief|detailed|concise|verbose", "be give keep write make"),
    ("single|double", "quote quotes string strings"),
    ("pytest|unittest|jest|vitest|mocha", "test tests testing framework"),
    ("camelcase|snake_case|kebab|pascalcase", "case"),
    ("british|american", "english spelling spell"),
    ("metric|imperial", "units"),
)
_MATTER = {word: f"<{words}>" for words, _ in _SAME_MATTER for word in words.split("|")}
_ADDED_TO = {f"<{words}>": frozenset(added.split()) for words, added in _SAME_MATTER}
_AROUND = (
    "in for of with as all my your our this that is it s let lets switch change changed move go going back mind forward"
    " onwards here everywhere throughout project repo repository codebase want would like should than over"
)
_FREE = frozenset(_AROUND.split())

SHORTEST_RULE, LONGEST_RULE = 4, 400  # characters of a sentence that can be a rule
MOST_OF_ONE_MESSAGE, MOST_TAKEN_BACK = 20, 50  # rules, and sentences of a chat that take some back
JUDGED = 4000  # cached sentences

_QUOTED_LINE = re.compile(r"^(?:[ \t]*+[>$❯|]|\t| {4}(?![-*+\d ]))")
_RULES_FOLLOW = re.compile(  # words that announce them, or a heading
    r"\b(?:rules?|constraints?|requirements?)\b[^.:!?\n]{0,80}:[*_ \t]*$"
    r"|^#{1,4} [^\n]{0,80}\b(?:rules?|constraints?|requirements?|conventions?)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,4} \S")
_NONE = re.compile(r"\W*(?:none|nothing|n/?a)\W*$", re.IGNORECASE)
_STRICT = re.compile(r"\b(?:never|must|always|do not|don['’]t)\b", re.IGNORECASE)
LONGEST_WISHES, LEAST_HEADINGS = 1500, 3  # a longer message with as many headings is a plan or a specification
_WORD = re.compile(r"[^\W_]+")
_TOPIC_WORD = re.compile(r"snake_case|[^\W_]+")
_VALUE = re.compile(r"\d")
# Paths and identifiers with digits: they name what a rule is about.
_NAMED = re.compile(
    r"(?<![\w./:\\-])(?=[\w./\\-]{0,80}\d)(?=[\w./\\-]{0,80}[a-z])(?!v?\d+(?:\.(?:\d+|x\b))*(?![\w/\\]|\.\w))"
    r"(?:[\w.-]*[/\\_][\w./\\-]*\w|[\w.-]*\.[a-z]\w{0,9}\b)"
)
# What a rule is about where it forbids: a word that ends in a number, a number behind a noun, and a year.
_FORBIDS = re.compile(
    r"\b(?:never|not|no|don['’]?t|can['’]?t|avoid|without|stop|nie|niemals|nicht|jamais|nunca|никогда|не)\b"
)
_MEASURES = (
    "than over under above below beyond exceed before after within to by at most least for in of up about around with"
    " until timeout limit width size length depth max maximum minimum min version avoid no not never ever"
)
_FORBIDDEN = re.compile(
    rf"(?<![\w-])(?:[a-z]+\d+(?![\w-])|(?<=\bthe )(?:19|20)\d\d(?= [a-z])"
    rf"|(?!(?:{'|'.join(_MEASURES.split())})\b)(?<!never )(?<!not )(?<!n['’]t )[a-z]{{2,20}} ?[#:]?(?P<number>\d[\d.]*)"
    r"(?!\w|\.\d|%| (?!(?:of|for|in|on|at|to|with|when|while|until|unless|or|and|again|here|now|from|by|as|if|yet)\b)"
    r"[a-z]))"
)
_LIFTS = re.compile(
    rf"{_START}(?:you (?:can|may|(?:do not|don['’]?t) (?:need|have) to)|no need to|it['’]?s (?:ok|fine|okay) to"
    r"|feel free to)\b",
    re.IGNORECASE,
)


_TAKES_BACK = re.compile(
    r"\b(?:disregard|drop|forget|ignore|scratch)(?: about)? (?:(?:what|everything|anything) I (?:\w{1,10} ){1,3}?"
    r"|(?:my|that|the|this) (?:rules?|requirements?|constraints?|preferences?) )(?:about|for|on|regarding)"
    r" ([^\n.,;:!?]{3,60})",
    re.IGNORECASE,
)


class Rule(Struct, frozen=True):
    """A sentence that sets a rule or a preference, where it was first and last stated, and whether it still holds."""

    text: str
    message: str
    superseded: bool = False
    kind: RuleKind = "constraints"
    first: str = ""


def rules(said: Sequence[Request]) -> tuple[Rule, ...]:
    """Find the rules in order; a repeated rule counts at its last occurrence.

    One of a later message on the same matter supersedes: its value differs, or it permits what was forbidden. So does a
    sentence that takes back what was said about it. Rules of one message stand beside each other.
    """
    last: dict[str, tuple[Rule, bool]] = {}  # with whether it is one, or a permission
    room = MOST_TAKEN_BACK
    for request in said:
        for about in islice(_TAKES_BACK.finditer(request.text), room):
            room -= 1
            words = set(_TOPIC_WORD.findall(about[1].lower())) - _EMPTY
            for key, (rule, is_one) in last.items() if words else ():
                if words.issubset(_TOPIC_WORD.findall(key)):
                    last[key] = replace(rule, superseded=True), is_one
        for text, kind in _rules_in(request.text):
            before = last.pop(text.lower(), None)
            first = before[0].first if before else request.message
            rule = Rule(text, request.message, kind=kind or "constraints", first=first)
            last[text.lower()] = rule, kind is not None
    found = list(last.values())
    newest: dict[frozenset[str], list[int]] = {}
    superseded: set[int] = set()
    for place, (rule, _) in enumerate(found):
        for topic in _topics(rule.text):
            others = newest.get(topic, [])
            if others and found[others[0]][0].message != rule.message:
                superseded.update(others)
                others = []
            newest[topic] = [*others, place]
    rules = enumerate(rule for rule, _ in found)
    return tuple(
        replace(rule, superseded=rule.superseded or place in superseded) for place, rule in rules if found[place][1]
    )


def _topics(text: str) -> set[frozenset[str]]:
    """Return what a rule is about: with its numbers where it forbids, with and without them where it chooses."""
    low = text.lower()
    words = (_MATTER.get(word, word) for word in _TOPIC_WORD.findall(low))
    topic = frozenset(word for word in words if word not in _TURNS and not _VALUE.search(word))
    matters = [word for word in topic if word in _ADDED_TO]
    if matters:
        topic = topic.difference(_FREE, *(_ADDED_TO[one] for one in matters))
    topic |= {match[0].strip(".") for match in _NAMED.finditer(low)}
    exact = topic | {(match["number"] or match[0]).strip(".") for match in _FORBIDDEN.finditer(low)}
    topics = {exact} if _FORBIDS.search(low) else {exact, topic}
    # A choice of a number needs one word only, as in `use port 8080`.
    least = LEAST_TOPIC if len(topics) == 1 else 1
    return {one for one in topics if len(one) >= least or any(word[0] == "<" for word in one)}


def _rules_in(text: str) -> list[tuple[str, RuleKind | None]]:
    """Find the rules in a message's lines, except code and quotes; the kind of a permission is None."""
    found: list[tuple[str, RuleKind | None]] = []
    lines = list(marked_lines(text))
    headings = sum(not fenced and bool(_HEADING.match(line)) for line, fenced in lines)
    is_plan = len(text) > LONGEST_WISHES and headings >= LEAST_HEADINGS
    listed_lines = items_under((line for line, _ in lines), _RULES_FOLLOW)
    for (line, fenced), listed in zip(lines, listed_lines, strict=True):
        if fenced or _QUOTED_LINE.match(line):
            continue
        for one in sentences(line):
            checkpoint()
            if len(one) > LONGEST_RULE:
                continue
            kind = _judged(one) if len(one) >= SHORTEST_RULE else None
            if is_plan and not listed and not _STRICT.search(one):  # it tells what to build, not how to work
                continue
            if (taken := _TAKES_BACK.search(one)) and len(one) - taken.end() <= 1:
                continue
            if kind or (listed and not _NONE.match(one)):
                found.append((one, kind or "constraints"))
            elif _LIFTS.match(one):
                found.append((one, None))
    return found[:MOST_OF_ONE_MESSAGE]


@lru_cache(JUDGED)
def _judged(sentence: str) -> RuleKind | None:
    """Tell whether a sentence sets a rule or states a preference, in words that are understood alone."""
    rule, prefers, question = _patterns()
    kind: RuleKind | None = "constraints" if rule.search(sentence) else None
    kind = "preferences" if prefers.search(sentence) else kind
    if kind is None or question.search(sentence):
        return None
    words = _WORD.findall(sentence.lower())
    return None if _EMPTY.issuperset(words) and not _POINTS.isdisjoint(words) else kind


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Compile the patterns on first use: they take longer than the rest of a start."""
    # A common prefix is tested once for all alternatives: most positions in a sentence start neither it nor a word.
    rule = rf"{_START}(?:{_AT_START}|(?!{_STORIES}|.*\b{_HAPPENS})(?:{_BARE}))|\b(?:{_AT_A_WORD})|{'|'.join(_ANYWHERE)}"
    prefers = rf"\b(?:{_PREFERS})|{_PREFERS_ANYWHERE}"
    question = (
        rf"^(?!\W{{0,4}}{_POLITELY}).*[?？]\W{{0,9}}$"
        rf"|^\W{{0,4}}(?!{_POLITELY}|do (?:it|this|that) )(?:{_ASKING_RULE_WORDS})\s(?:{_ASKED})\b|{_REPORTS}"
    )
    return re.compile(rule, re.IGNORECASE), re.compile(prefers, re.IGNORECASE), re.compile(question, re.IGNORECASE)
