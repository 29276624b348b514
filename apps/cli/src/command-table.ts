import { kinds, type Kind } from "@cloudwright/contract/kinds";
import type { CommandEntry } from "./lazy-commands.ts";
import { verbAliases, verbs, type Verb } from "./kinds/verbs.ts";
import type { Configure } from "./command-context.ts";

const entities = "Entities:";
const families = "Kinds:";
const access = "Access and contexts:";
const more = "More:";

/** Functions that load the implementation of each verb. Both `cloud VERB KIND` and `cloud KIND VERB` use them. */
export const verbLoaders: Readonly<Record<Verb, () => Promise<Configure>>> = {
  list: async () => (await import("./commands/list.ts")).configureList,
  get: async () => (await import("./commands/get.ts")).configureGet,
  describe: async () => (await import("./commands/describe.ts")).configureDescribe,
  create: async () => (await import("./commands/create.ts")).configureCreate,
  update: async () => (await import("./commands/update.ts")).configureUpdate,
  edit: async () => (await import("./commands/edit.ts")).configureEdit,
  delete: async () => (await import("./commands/delete.ts")).configureDelete,
  watch: async () => (await import("./commands/watch.ts")).configureWatch,
  events: async () => (await import("./commands/events.ts")).configureEvents,
  pause: async () => (await import("./commands/pause.ts")).configurePause,
  resume: async () => (await import("./commands/resume.ts")).configureResume,
  rotate: async () => (await import("./commands/rotate.ts")).configureRotate,
  cancel: async () => (await import("./commands/cancel.ts")).configureCancel,
  retry: async () => (await import("./commands/retry.ts")).configureRetry,
  logs: async () => (await import("./commands/logs.ts")).configureLogs,
  drain: async () => (await import("./commands/drain.ts")).configureDrain,
  undrain: async () => (await import("./commands/undrain.ts")).configureUndrain,
  "join-token": async () => (await import("./commands/join-token.ts")).configureJoinToken,
  stop: async () => (await import("./commands/stop.ts")).configureStop,
  start: async () => (await import("./commands/start.ts")).configureStart,
  attach: async () => (await import("./commands/attach.ts")).configureAttach,
  detach: async () => (await import("./commands/detach.ts")).configureDetach,
  resize: async () => (await import("./commands/resize.ts")).configureResize,
  private: async () => (await import("./commands/private.ts")).configurePrivate,
  check: async () => (await import("./commands/check.ts")).configureCheck,
  trust: async () => (await import("./commands/trust.ts")).configureTrust,
  snapshot: async () => (await import("./commands/snapshot.ts")).configureSnapshot,
  ssh: async () => (await import("./commands/ssh.ts")).configureSsh,
  upgrade: async () => (await import("./commands/upgrade.ts")).configureUpgrade,
  kubeconfig: async () => (await import("./commands/kubeconfig.ts")).configureKubeconfig,
  discover: async () => (await import("./commands/discover.ts")).configureDiscover,
  import: async () => (await import("./commands/import.ts")).configureImport,
  manage: async () => (await import("./commands/manage.ts")).configureManage,
  release: async () => (await import("./commands/release.ts")).configureRelease,
  token: async () => (await import("./commands/cluster-token.ts")).configureClusterToken,
  uses: async () => (await import("./commands/backend/uses.ts")).configureBackendUses,
  adopt: async () => (await import("./commands/backend/adopt.ts")).configureBackendAdopt,
  policy: async () => (await import("./commands/account-policy.ts")).configureAccountPolicy,
};

/** Verbs that apply to only one or two kinds. The top-level help hides them. */
const ofFewKinds: ReadonlySet<Verb> = new Set<Verb>([
  "stop",
  "start",
  "attach",
  "detach",
  "resize",
  "check",
  "trust",
  "upgrade",
  "kubeconfig",
  "discover",
  "import",
  "manage",
  "release",
  "policy",
  "uses",
  "adopt",
  "rotate",
  "cancel",
  "retry",
  "logs",
  "drain",
  "undrain",
  "join-token",
  "private",
]);

// Omits `snapshot`, which is also the word of a kind, and `token`, because the top-level command `cloud token` creates a token for the caller, unlike `cloud k8s token`. Omits `ssh`, because
// the words after its name are a command.
const verbFirst: readonly CommandEntry[] = verbs
  .filter(({ verb }) => verb !== "token" && verb !== "ssh" && verb !== "snapshot")
  .map(({ verb, summary }) => ({
    name: verb,
    aliases: verbAliases[verb] ?? [],
    summary,
    group: entities,
    hidden: ofFewKinds.has(verb),
    load: verbLoaders[verb],
  }));

const kindFirst: readonly CommandEntry[] = kinds.map((kind: Kind) => ({
  name: kind.words[0] as string,
  aliases: [...kind.words.slice(1), kind.collection],
  summary: [kind.collection, ...kind.words.slice(1)].join(", "),
  group: families,
  load: async () => {
    const { configureKind } = await import("./commands/kind.ts");
    return (command, context) => configureKind(command, { ...context, kind });
  },
}));

export const commandTable: readonly CommandEntry[] = [
  {
    name: "apply",
    summary: "create or update entities from files",
    group: entities,
    load: async () => (await import("./commands/apply.ts")).configureApply,
  },
  ...verbFirst,
  ...kindFirst,
  {
    name: "quickstart",
    summary: "start a local server and create a simulated cluster",
    group: more,
    load: async () => (await import("./commands/quickstart.ts")).configureQuickstart,
  },
  {
    name: "run",
    aliases: ["runs"],
    summary: "show and approve Terraform runs: plans, approvals, logs",
    group: more,
    load: async () => (await import("./commands/run.ts")).configureRun,
  },
  {
    name: "image",
    aliases: ["images"],
    summary: "list, import, build and delete the images on a machine of your own",
    group: more,
    load: async () => (await import("./commands/image.ts")).configureImage,
  },
  {
    name: "drift",
    aliases: ["drifts"],
    summary: "check for, show, accept and correct infrastructure drift",
    group: more,
    load: async () => (await import("./commands/drift.ts")).configureDrift,
  },
  {
    name: "state",
    summary: "show Terraform states: versions, differences, locks",
    group: more,
    load: async () => (await import("./commands/state.ts")).configureState,
  },
  {
    name: "sim",
    summary: "inspect simulated clouds and inject faults",
    group: more,
    load: async () => (await import("./commands/sim.ts")).configureSim,
  },
  {
    name: "local",
    summary: "check and clean up this machine as a host of a local account",
    group: more,
    load: async () => (await import("./commands/local.ts")).configureLocal,
  },
  {
    name: "login",
    summary: "log in to a server and store the API key",
    group: access,
    load: async () => (await import("./commands/login.ts")).configureLogin,
  },
  {
    name: "logout",
    summary: "remove the stored API key",
    group: access,
    load: async () => (await import("./commands/logout.ts")).configureLogout,
  },
  {
    name: "whoami",
    summary: "show the current user and roles",
    group: access,
    load: async () => (await import("./commands/whoami.ts")).configureWhoAmI,
  },
  {
    name: "can-i",
    summary: "show what you are allowed to do",
    group: access,
    load: async () => (await import("./commands/can-i.ts")).configureCanI,
  },
  {
    name: "context",
    summary: "list, select and delete contexts",
    group: access,
    load: async () => (await import("./commands/context.ts")).configureContext,
  },
  {
    name: "config",
    summary: "show and change config.yaml",
    group: access,
    load: async () => (await import("./commands/config.ts")).configureConfig,
  },
  {
    name: "console",
    summary: "print a sign-in link for the web console",
    group: access,
    load: async () => (await import("./commands/console.ts")).configureConsole,
  },
  {
    name: "token",
    summary: "create a short-lived signed token",
    group: access,
    load: async () => (await import("./commands/token.ts")).configureToken,
  },
  {
    name: "audit",
    summary: "show the audit log",
    group: more,
    load: async () => (await import("./commands/audit.ts")).configureAudit,
  },
  {
    name: "version",
    summary: "show the versions of the CLI and the server",
    group: more,
    load: async () => (await import("./commands/version.ts")).configureVersion,
  },
  {
    name: "completion",
    summary: "print a shell completion script",
    group: more,
    load: async () => (await import("./commands/completion.ts")).configureCompletion,
  },
  {
    name: "help",
    summary: "show help for a command or topic (kinds, output, exit-codes, environment)",
    group: more,
    load: async () => (await import("./commands/help.ts")).configureHelp,
  },
  {
    name: "__complete",
    summary: "complete a command line",
    hidden: true,
    load: async () => (await import("./commands/complete.ts")).configureComplete,
  },
];
