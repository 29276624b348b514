import type { KindName } from "@cloudwright/contract/kinds";

/** What can be done with a kind from the command line, beside what the server calls it. A test holds it against the contract. */
export type Verb = (typeof verbs)[number]["verb"];

/** Every verb, in the order in which help shows them. */
export const verbs = [
  { verb: "list", summary: "list, a line each" },
  { verb: "get", summary: "show one, several or all" },
  { verb: "describe", summary: "show one with its conditions and events" },
  { verb: "create", summary: "create from flags or a file" },
  { verb: "update", summary: "change the fields given as flags" },
  { verb: "edit", summary: "change in an editor" },
  { verb: "delete", summary: "delete, after asking" },
  { verb: "watch", summary: "follow changes as they happen" },
  { verb: "events", summary: "show what happened" },
  { verb: "pause", summary: "stop all work" },
  { verb: "resume", summary: "let work go on" },
  { verb: "rotate", summary: "replace the key by a new one" },
  { verb: "cancel", summary: "stop the work of an operation" },
  { verb: "retry", summary: "try again what failed or was cancelled" },
  { verb: "logs", summary: "print what tasks wrote" },
  { verb: "drain", summary: "let an agent take no new tasks" },
  { verb: "undrain", summary: "let an agent take tasks again" },
  { verb: "join-token", summary: "make a token that lets one agent join" },
  { verb: "upgrade", summary: "raise the version of Kubernetes" },
  { verb: "kubeconfig", summary: "print the kubeconfig" },
  { verb: "token", summary: "print a token for kubectl, by your own credentials of the cloud" },
  { verb: "iam-policy", summary: "print the policy that an account's credentials need" },
] as const;

/** Other words for a verb. Known before the verb is loaded, else nobody could load it by them. */
export const verbAliases: Readonly<Partial<Record<Verb, readonly string[]>>> = { list: ["ls"] };

// Events belong to projects, so that what lies outside them has none.
const global = ["list", "get", "describe", "watch", "create", "update", "edit", "delete"] as const;
const writing = [...global, "events"] as const;
const working = [...writing, "pause", "resume"] as const;

const verbsByKind: Readonly<Record<KindName, readonly Verb[]>> = {
  Project: [...global, "pause", "resume"],
  User: global,
  ApiKey: ["list", "get", "describe", "create", "delete", "rotate"],
  RoleBinding: writing,
  Environment: writing,
  Account: [...working, "iam-policy"],
  Network: working,
  Cluster: [...working, "upgrade", "kubeconfig", "token"],
  NodePool: working,
  Storage: working,
  Agent: [...writing, "drain", "undrain", "join-token"],
  Operation: ["list", "get", "describe", "watch", "events", "cancel", "retry", "logs"],
  Task: ["list", "get", "describe", "logs"],
};

/** Whether a kind has a verb. */
export function hasVerb(kind: string, verb: Verb): boolean {
  return verbsByKind[kind as KindName].includes(verb);
}
