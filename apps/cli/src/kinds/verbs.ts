/** A verb of the CLI. A test checks that the verbs cover the contract. */
export type Verb = (typeof verbs)[number]["verb"];

/** All verbs, in the order in which the help lists them. */
export const verbs = [
  { verb: "list", summary: "list entities" },
  { verb: "get", summary: "show one or more entities" },
  { verb: "describe", summary: "show details, conditions and events" },
  { verb: "create", summary: "create from flags or a file" },
  { verb: "update", summary: "change fields with flags" },
  { verb: "edit", summary: "change in an editor" },
  { verb: "delete", summary: "delete after confirmation" },
  { verb: "watch", summary: "follow changes" },
  { verb: "events", summary: "show events" },
  { verb: "pause", summary: "pause reconciliation" },
  { verb: "resume", summary: "resume reconciliation" },
  { verb: "rotate", summary: "replace the key with a new one" },
  { verb: "cancel", summary: "cancel an operation" },
  { verb: "retry", summary: "retry a failed or cancelled operation" },
  { verb: "logs", summary: "print logs" },
  { verb: "drain", summary: "stop an agent from taking new tasks" },
  { verb: "undrain", summary: "let an agent take tasks again" },
  { verb: "join-token", summary: "create a token that lets one agent join" },
  { verb: "stop", summary: "stop a machine and keep its disk" },
  { verb: "start", summary: "start a stopped machine" },
  { verb: "attach", summary: "attach a volume to an instance" },
  { verb: "detach", summary: "detach a volume and keep its data" },
  { verb: "resize", summary: "make a volume larger" },
  { verb: "private", summary: "print the private half of a key" },
  { verb: "check", summary: "check the hosts of an inventory now" },
  { verb: "trust", summary: "trust the SSH host keys that a host presents" },
  { verb: "snapshot", summary: "copy a volume into a snapshot" },
  { verb: "ssh", summary: "log in to a machine, or run a command there" },
  { verb: "upgrade", summary: "upgrade the Kubernetes version" },
  { verb: "kubeconfig", summary: "print the kubeconfig" },
  { verb: "discover", summary: "list all clusters in an account, including those that the platform did not create" },
  { verb: "import", summary: "observe a cluster that already exists" },
  { verb: "manage", summary: "take over management of the pools and upgrades of an imported cluster" },
  { verb: "release", summary: "stop managing an imported cluster and leave it unchanged" },
  { verb: "token", summary: "print a token for kubectl, using your own cloud credentials" },
  { verb: "uses", summary: "list entities whose states are stored outside the platform" },
  { verb: "adopt", summary: "allow entities created by earlier releases to keep their external backend" },
  { verb: "policy", summary: "print the permissions that an account's credentials need" },
] as const;

/** Verb aliases. They are kept here because they must be known before a verb's module is loaded. */
export const verbAliases: Readonly<Partial<Record<Verb, readonly string[]>>> = {
  list: ["ls"],
  policy: ["iam-policy"],
};

/** The verbs of global kinds. Global kinds have no events, because events belong to a project. */
export const globalVerbs = ["list", "get", "describe", "watch", "create", "update", "edit", "delete"] as const;

/** The verbs of kinds that users can create and change. */
export const writableVerbs = [...globalVerbs, "events"] as const;

/** The verbs of kinds for which the platform builds infrastructure. */
export const provisionedVerbs = [...writableVerbs, "pause", "resume"] as const;
