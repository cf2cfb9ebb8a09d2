"""Small made-up chats of facts, corrections and decisions, with what a summary should hold and may not state."""

from __future__ import annotations

from typing import NamedTuple


class SmallChat(NamedTuple):
    """Texts by turns, the user's first; facts as alternatives separated by `|`; values that no longer hold."""

    name: str
    texts: tuple[str, ...]
    facts: tuple[str, ...]
    superseded: tuple[str, ...] = ()


SMALL_CHATS = (
    SmallChat(
        "a service and its port",
        (
            "Hi! I'm setting up the order service for project Heron. It should listen on port 8080.",
            (
                "Great, happy to help with the order service! Let me know what you need. Typical services also need a"
                " database, a cache and a queue, and we can go through each of these step by step whenever you like."
            ),
            "The database is PostgreSQL 15 and it lives on db.heron.internal.",
            (
                "Understood. PostgreSQL 15 is a solid choice. It has support for JSON columns, and its performance is"
                " well known. I will keep that in mind for the connection settings."
            ),
            "Small correction: port 8080 is taken by Jenkins, so use port 9191 instead.",
            "No problem, I've noted it: the order service will listen on port 9191.",
            "Also, never log customer e-mail addresses.",
            "Sure, that is an important point about privacy. I will make sure that nothing of the kind is logged.",
            "We decided to go with RabbitMQ for the queue because the ops team already runs it.",
            "That sounds sensible. Using what the ops team already runs lowers the cost of operation a lot.",
        ),
        ("Heron", "9191", "PostgreSQL 15", "db.heron.internal", "never log customer e-mail", "RabbitMQ"),
        ("listen on port 8080",),
    ),
    SmallChat(
        "a trip that moves",
        (
            "I'd like to plan a trip to Lisbon for our team of 6 people. The budget is 4500 euros.",
            (
                "What a lovely destination! Lisbon has great food, hills and trams. When would you like to travel,"
                " and what would the team like to do there? There are many options for groups of this size."
            ),
            "We leave on March 12 and stay 4 nights.",
            "Wonderful, March is a pleasant month in Lisbon with mild weather and fewer tourists than in summer.",
            "Carla is vegetarian, so restaurants need vegetarian dishes.",
            "Noted, I will look for restaurants with a good vegetarian menu. There are quite a few of those.",
            "Actually the date changed: we leave on March 19, not March 12.",
            "Thanks for letting me know. I have moved everything by a week. The weather should be even better then.",
            "The hotel should be near Rossio station. We picked Hotel Mundial over the Ibis because it has a terrace.",
            "Hotel Mundial is a fine choice, and its rooftop terrace has a view over the castle.",
        ),
        ("Lisbon", "6 people|team of 6", "4500", "March 19", "vegetarian", "Hotel Mundial"),
        ("leave on March 12 and",),
    ),
    SmallChat(
        "a library that is replaced",
        (
            "We're writing a CSV importer in Python. Let's parse the dates with dateutil.",
            (
                "Good idea. dateutil parses nearly every format, which makes it handy for importers like this. I can"
                " sketch the structure: a reader, a validator and a writer, each in its own module."
            ),
            "The input files are up to 2 GB, so it has to stream.",
            "Streaming it is. With a generator we can keep the memory use flat, whatever the size of the file is.",
            "The target table is called ledger_entries and has 14 columns.",
            "Perfect, I'll map the columns by name so that their order in the file does not matter.",
            "dateutil turned out too slow. Let's switch from dateutil to ciso8601.",
            "Done: the dates are now parsed by ciso8601, which is written in C and a lot faster.",
            "Rows with errors go to rejects.csv, and the run must not stop because of them.",
            "Makes sense. I've added that: bad rows are written to rejects.csv with the reason.",
        ),
        ("CSV importer", "ciso8601", "2 GB", "ledger_entries", "14 columns", "rejects.csv"),
        ("parse the dates with dateutil",),
    ),
    SmallChat(
        "settings that change twice",
        (
            "Set the request timeout to 30 seconds for the gateway client.",
            (
                "I've set the request timeout to 30 seconds. Timeouts protect the caller from a hanging server; 30"
                " seconds is the default of many clients in this area."
            ),
            "Retries should be 3 with exponential backoff.",
            "Configured: three retries with exponential backoff, beginning with half a second.",
            "Hmm, change the request timeout to 45 seconds.",
            "Changed. The request timeout is 45 seconds now.",
            "The API key comes from Vault, path kv/gateway/prod.",
            "I'll read it from Vault at start-up, so nothing secret is in the repository.",
            "Final answer on the timeout: make the request timeout 20 seconds, the load balancer cuts at 25.",
            "Alright, the request timeout is 20 seconds, below what the load balancer allows.",
        ),
        ("20 seconds", "retries|Retries", "exponential backoff", "kv/gateway/prod", "load balancer"),
        ("timeout to 30 seconds", "timeout is 45 seconds", "timeout to 45 seconds"),
    ),
    SmallChat(
        "people and deadlines",
        (
            "The release manager is Priya Natarajan and the release date is October 3.",
            (
                "Thanks! I'll use that in the plan. A release plan usually has a freeze, a test phase, a rollout; it"
                " helps to name who decides in each of these phases."
            ),
            "Code freeze is on September 26.",
            "Good, that leaves one week between freeze and release, which is a healthy amount of time for testing.",
            "The rollout starts with 5% of the users in Canada.",
            "A small canary like this one is a careful way to begin, and it is easy to roll back.",
            "Priya is on leave. The release manager is Tomas Lindqvist now.",
            "Okay, I have replaced the name in the plan. Tomas will be the one who gives the final go.",
            "If the error rate exceeds 0.5% we roll back automatically.",
            "Understood, the automatic rollback is triggered by that error rate.",
        ),
        ("Tomas Lindqvist", "October 3", "September 26", "5%", "Canada", "0.5%"),
        ("release manager is Priya",),
    ),
    SmallChat(
        "a design that is rejected",
        (
            "I need offline sync for the notes app. Let's use CRDTs with Yjs.",
            (
                "CRDTs are powerful. With Yjs you get conflict-free merging out of the box, though documents grow over"
                " time because of the history. Would you like me to sketch the data model first?"
            ),
            "Notes are at most 64 KB each and a user has up to 2000 notes.",
            "These are comfortable sizes. Nearly any approach can handle that on a phone of the last five years.",
            (
                "We tried Yjs on Android and it took 9 seconds to load, so we drop CRDTs. Use last-write-wins with a"
                " version vector instead."
            ),
            "Understood. Last-write-wins with a version vector is simpler, and conflicts are rare for notes anyway.",
            "Conflicts should be kept as a copy named 'conflict of DATE'.",
            "Good: nobody loses text that way. I'll write the copy next to the original note.",
            "The sync endpoint is https://sync.notely.example/v2 and needs a bearer token.",
            "Got it, I'll use that endpoint for both push and pull.",
        ),
        (
            "last-write-wins|Last-write-wins",
            "version vector",
            "64 KB",
            "2000 notes",
            "sync.notely.example/v2",
            "9 seconds",
        ),
        ("Let's use CRDTs",),
    ),
    SmallChat(
        "numbers of an experiment",
        (
            "Our baseline model reaches 81.2% accuracy on the validation set of 12,000 images.",
            (
                "A decent baseline! There are many ways to improve on that: augmentation, a longer schedule, label"
                " smoothing, larger input, or simply a bigger network."
            ),
            "The learning rate is 0.01 and the batch size is 64.",
            "Those are common values. The learning rate is often the first thing to tune in such a setup.",
            "With the learning rate at 0.01 it diverged on the new data. We now use a learning rate of 0.003.",
            "A lower learning rate is the natural fix for divergence, so that sounds right.",
            "Mixup did not help: it lost 0.7 points, so we left it out.",
            "Interesting. Mixup often helps with small data sets, but it is not a rule.",
            "The best run is run-417 with 84.9%.",
            "Congratulations! That is a nice improvement over the baseline.",
        ),
        ("81.2%", "12,000", "0.003", "batch size", "Mixup|mixup", "run-417", "84.9%"),
        ("learning rate is 0.01",),
    ),
    SmallChat(
        "an address book of hosts",
        (
            "Staging runs on host stg-2.acme.test with 16 GB of memory.",
            "Thanks, noted. Staging environments should look like production as far as the budget allows it.",
            "Production runs on prod-1.acme.test and prod-2.acme.test behind HAProxy.",
            "Two hosts behind HAProxy give you a simple form of high availability without much machinery.",
            "Backups go to s3://acme-backups-eu every night at 02:30.",
            "Nightly backups are good. I'd suggest to test restoring them now and then, for example each month.",
            "Staging moved: it is on host stg-7.acme.test since Monday.",
            "Okay, I'll use the new staging host from here on.",
            "Only Ingrid may deploy to production.",
            "Understood, deployments to production need Ingrid.",
        ),
        ("stg-7.acme.test", "prod-1.acme.test", "HAProxy", "acme-backups-eu", "02:30", "Ingrid"),
        ("runs on host stg-2",),
    ),
    SmallChat(
        "what was done in a repository",
        (
            "Please rename the module utils.py to text_tools.py in the billing package.",
            "I renamed billing/utils.py to billing/text_tools.py and updated 7 imports. All 42 tests pass.",
            "Thanks. Use tabs for indentation in this repo.",
            "Will do: tabs from now on. Most editors can be told so with an .editorconfig file in the root.",
            "Fix the rounding bug in invoice_total.",
            "I fixed invoice_total: it now rounds half up with Decimal. One test still fails: test_refund_negative.",
            "Sorry, I was wrong about the indentation: use 4 spaces for indentation in this repo.",
            "No worries. I've converted the changed files to 4 spaces, and left the others alone.",
            "Leave test_refund_negative for tomorrow.",
            "Alright, test_refund_negative stays as it is for now. Nothing is committed yet.",
        ),
        (
            "text_tools.py",
            "invoice_total",
            "4 spaces",
            "test_refund_negative",
            "Decimal",
            "Nothing is committed|not committed",
        ),
        ("Use tabs for indentation",),
    ),
    SmallChat(
        "a menu with an allergy",
        (
            "I'm cooking for 8 guests on Saturday. The main dish is salmon.",
            (
                "How nice! Salmon goes well with dill, lemon and potatoes. For eight guests you want about one and a"
                " half kilos of fillet. Would you like a starter and a dessert too?"
            ),
            "Starter is beetroot soup, dessert is lemon tart.",
            "That is a colorful menu, and both can be prepared the day before, which will make the evening relaxed.",
            "Bad news: Jonas is allergic to fish, so no salmon. The main dish is mushroom risotto.",
            "Good that you know. Mushroom risotto fits well, and it is safe for him.",
            "I have only 2 burners and an oven.",
            "With two burners you can make the risotto on one and keep the soup warm on the other.",
            "Two more guests are coming, so it's 10 guests now.",
            "Then I'd scale the risotto to one kilo of rice. That will be enough for ten.",
        ),
        ("10 guests", "mushroom risotto", "beetroot soup", "lemon tart", "allergic to fish", "2 burners"),
        ("main dish is salmon", "for 8 guests"),
    ),
)
