import { getKind, kinds, methods, type JsonObject, type Kind } from "@cloudwright/contract";
import { localExamples } from "@cloudwright/contract/openapi";
import { rejectedInputs } from "@cloudwright/contract/testing";
import type { Outcome } from "./endpoint.ts";
import { entityOf, nameOf, replacementOf } from "./scenario-entities.ts";

/** Results of earlier steps, keyed by step title. */
export type Seen = ReadonlyMap<string, Outcome>;

/** One step: a call and its expected result. */
export interface Step {
  readonly title: string;
  /** Name of the RPC method. */
  readonly operation: string;
  request(seen: Seen): JsonObject;
  /** Title of the step that created the API key to use. Default: the administrator's key. An empty title means no key. */
  readonly keyOf?: string;
  readonly idempotencyKey?: string;
  /** Expected fault code, or undefined if the call must succeed. */
  readonly fault?: string;
}

const missing = "api.not_found";
const invalid = "api.invalid";

/**
 * Returns a scenario that performs every action that a caller can take on entities. `mark` keeps the names of several runs on one server
 * apart.
 */
export function scenario(mark: string): Step[] {
  const creatable = kinds.filter(({ kind }) => has("create", kind));
  const rest = kinds.filter(({ kind }) => !has("create", kind));
  return [
    ...creatable.flatMap((kind) => [...(kind.kind === "SecurityGroup" ? localLife(mark) : []), ...lifeOf(mark, kind)]),
    ...rest.flatMap((kind) => absenceOf(mark, kind)),
    ...rightsOf(mark),
    ...listingOf(mark),
    ...rejectedInputs.map((refused, index) => refusal(mark, refused, index)),
    ...familiesOf(mark),
    ...creatable.toReversed().flatMap((kind) => [...(kind.kind === "SshKey" ? localEnd(mark) : []), ...endOf(mark, kind)]),
  ];
}

/** Returns the steps that create the account and the network that security groups and volumes need. */
function localLife(mark: string): Step[] {
  const project = nameOf(mark, "Project");
  return localExamples.map(([kind, entity]) => ({
    title: `create a local ${kind}`,
    operation: rpc("create", kind),
    request: () => ({ project, entity }),
  }));
}

function localEnd(mark: string): Step[] {
  const project = nameOf(mark, "Project");
  return localExamples.toReversed().map(([kind, { metadata }]) => ({
    title: `delete the local ${kind}`,
    operation: rpc("delete", kind),
    request: () => ({ project, name: (metadata as { name: string }).name }),
  }));
}

function has(verb: string, kind: string): boolean {
  return methods.some((operation) => operation.verb === verb && operation.kind === kind);
}

function rpc(verb: string, kind: string): string {
  const found = methods.find((operation) => operation.verb === verb && operation.kind === kind);
  if (found === undefined) throw new Error(`the contract has no method ${verb} ${kind}`);
  return found.descriptor.name;
}

/** Returns the request fields that locate entities of a kind: the project, and the parent if there is one. */
function placeOf(mark: string, kind: Kind): JsonObject {
  return {
    ...(kind.scope === "project" ? { project: nameOf(mark, "Project") } : {}),
    ...(kind.kind === "NodePool" ? { parent: nameOf(mark, "Cluster") } : {}),
  };
}

function metadataOf(seen: Seen, title: string): Readonly<Record<string, string>> {
  const outcome = seen.get(title);
  if (outcome === undefined || !("answer" in outcome)) throw new Error(`${title} returned no entity`);
  return (outcome.answer as { metadata: Record<string, string> }).metadata;
}

function lifeOf(mark: string, kind: Kind): Step[] {
  const { kind: name } = kind;
  const place = placeOf(mark, kind);
  const own = { ...place, name: nameOf(mark, name) };
  const entity = entityOf(mark, name);
  const create = { operation: rpc("create", name) };
  const get = { operation: rpc("get", name) };
  const idempotencyKey = `${name} ${mark}`;
  const steps: Step[] = [
    { title: `dry run of create ${name}`, ...create, request: () => ({ ...place, entity, dryRun: true }) },
    { title: `get ${name} before it exists`, ...get, request: () => own, fault: missing },
    { title: `create ${name}`, ...create, idempotencyKey, request: () => ({ ...place, entity }) },
    { title: `create ${name} again`, ...create, request: () => ({ ...place, entity }), fault: "store.exists" },
    {
      title: `create ${name} with an invalid name`,
      ...create,
      request: () => ({ ...place, entity: { ...entity, metadata: { name: "Not_A_Name" } } }),
      fault: invalid,
    },
    { title: `create ${name} without an entity`, ...create, request: () => ({ ...place, entity: {} }), fault: invalid },
    {
      title: `create something else with the key of ${name}`,
      ...create,
      idempotencyKey,
      request: () => ({ ...place, entity: { ...entity, metadata: { name: "something-else" } } }),
      fault: "store.key_reused",
    },
    { title: `get ${name}`, ...get, request: () => own },
    {
      title: `get ${name} by uid`,
      ...get,
      request: (seen) => ({ ...place, name: metadataOf(seen, `create ${name}`)["uid"] ?? "" }),
    },
    { title: `list ${name}`, operation: rpc("list", name), request: () => ({ ...place, filter: `metadata.name=${own.name}` }) },
  ];
  // Only the first response contains the new API key, so repeating the call would return a different response.
  if (name !== "ApiKey") {
    steps.push({ title: `create ${name} with the same key`, ...create, idempotencyKey, request: () => ({ ...place, entity }) });
  }
  return [...steps, ...changesOf(mark, kind), ...verbsOf(mark, kind)];
}

function changesOf(mark: string, { kind, ...rest }: Kind): Step[] {
  if (!has("update", kind)) return [];
  const own = { ...placeOf(mark, { kind, ...rest }), name: nameOf(mark, kind) };
  const update = { operation: rpc("update", kind) };
  const entity = replacementOf(mark, kind);
  const labels = { metadata: { labels: { tier: "prod", owner: mark } } };
  return [
    { title: `replace ${kind}`, ...update, request: () => ({ ...own, entity }) },
    { title: `replace ${kind} with the same`, ...update, request: () => ({ ...own, entity }) },
    { title: `label ${kind}`, ...update, request: () => ({ ...own, entity: labels, updateMask: "metadata.labels" }) },
    {
      title: `change ${kind} as it was read`,
      ...update,
      request: (seen) => {
        const resourceVersion = metadataOf(seen, `label ${kind}`)["resourceVersion"] ?? "";
        const metadata = { resourceVersion, annotations: { note: "read before" } };
        return { ...own, entity: { metadata }, updateMask: "metadata.annotations" };
      },
    },
    {
      title: `change an outdated version of ${kind}`,
      ...update,
      request: (seen) => {
        const resourceVersion = metadataOf(seen, `create ${kind}`)["resourceVersion"] ?? "";
        return { ...own, entity: { metadata: { resourceVersion } }, updateMask: "metadata.annotations" };
      },
      fault: "store.stale",
    },
    {
      title: `change an unknown field of ${kind}`,
      ...update,
      request: () => ({ ...own, entity: labels, updateMask: "spec.colour" }),
      fault: invalid,
    },
    { title: `change a missing ${kind}`, ...update, request: () => ({ ...own, name: "nothing", entity }), fault: missing },
    {
      title: `create ${kind} by replacing it`,
      ...update,
      request: () => ({
        ...own,
        name: `${nameOf(mark, kind)}-2`,
        entity: withName(entity, `${nameOf(mark, kind)}-2`),
        allowMissing: true,
      }),
    },
  ];
}

function withName(entity: JsonObject, name: string): JsonObject {
  return { ...entity, metadata: { ...(entity["metadata"] as JsonObject), name } };
}

function verbsOf(mark: string, kind: Kind): Step[] {
  const own = { ...placeOf(mark, kind), name: nameOf(mark, kind.kind) };
  const verbs = ["pause", "resume", "rotate"].filter((verb) => has(verb, kind.kind));
  return verbs.flatMap((verb): Step[] => [
    { title: `${verb} ${kind.kind}`, operation: rpc(verb, kind.kind), request: () => own },
    {
      title: `${verb} a missing ${kind.kind}`,
      operation: rpc(verb, kind.kind),
      request: () => ({ ...own, name: "nothing" }),
      fault: missing,
    },
  ]);
}

/** Returns the steps for kinds that only the platform can create. */
function absenceOf(mark: string, kind: Kind): Step[] {
  const place = placeOf(mark, kind);
  return [
    // Sorts operations by creation time, because their names are unpredictable.
    {
      title: `list ${kind.kind}`,
      operation: rpc("list", kind.kind),
      request: () => ({ ...place, ...(kind.kind === "Operation" && { orderBy: "createdAt" }) }),
    },
    {
      title: `get a missing ${kind.kind}`,
      operation: rpc("get", kind.kind),
      request: () => ({ ...place, name: "nothing" }),
      fault: missing,
    },
  ];
}

/** Returns the steps that test permissions. They use the user, API key and role binding created by earlier steps. */
function rightsOf(mark: string): Step[] {
  const project = nameOf(mark, "Project");
  const keyOf = "rotate ApiKey";
  const account = { project, entity: entityOf(mark, "Account") };
  return [
    { title: "who the administrator is", operation: "WhoAmI", request: () => ({}) },
    { title: "who the viewer is", operation: "WhoAmI", request: () => ({}), keyOf },
    { title: "what the viewer may do", operation: "ListPermissions", request: () => ({ project }), keyOf },
    { title: "the viewer reads", operation: "ListAccounts", request: () => ({ project }), keyOf },
    { title: "the viewer changes", operation: "CreateAccount", request: () => account, keyOf, fault: "api.denied" },
    {
      title: "the viewer reads another project",
      operation: "ListAccounts",
      request: () => ({ project: "default" }),
      keyOf,
      fault: missing,
    },
    {
      title: "the viewer reads a missing project",
      operation: "ListAccounts",
      request: () => ({ project: "no-such" }),
      keyOf,
      fault: missing,
    },
    {
      title: "the viewer creates a user",
      operation: "CreateUser",
      request: () => ({ entity: { metadata: { name: "x" } } }),
      keyOf,
      fault: "api.denied",
    },
    {
      title: "a caller without a credential reads",
      operation: "ListAccounts",
      request: () => ({ project }),
      keyOf: "",
      fault: "api.unauthenticated",
    },
    {
      title: "the replaced key reads",
      operation: "ListAccounts",
      request: () => ({ project }),
      keyOf: "create ApiKey",
      fault: "api.unauthenticated",
    },
    { title: "a token", operation: "CreateToken", request: () => ({ audience: "cloudwright", ttlSeconds: 60 }) },
    {
      title: "a token with an excessive lifetime",
      operation: "CreateToken",
      request: () => ({ audience: "cloudwright", ttlSeconds: 301 }),
      fault: invalid,
    },
  ];
}

function listingOf(mark: string): Step[] {
  const project = nameOf(mark, "Project");
  const list = (title: string, more: JsonObject, fault?: string): Step => ({
    title,
    operation: "ListNetworks",
    request: () => ({ project, ...more }),
    ...(fault === undefined ? {} : { fault }),
  });
  return [
    list("list by label", { labelSelector: "tier=prod,owner" }),
    list("list by an unused label", { labelSelector: "tier=dev" }),
    list("list by field", { filter: "spec.region=eu-west-1" }),
    list("list the first of two", { pageSize: 1, orderBy: "-name" }),
    list("list below an account", { parent: nameOf(mark, "Account") }),
    list("list below a missing account", { parent: "nothing" }, missing),
    list("list by a broken selector", { labelSelector: "tier=prod=dev" }, "api.bad_filter"),
    list("list by an unknown field", { filter: "spec.colour=red" }, "api.bad_filter"),
    list("list in an unknown order", { orderBy: "colour" }, invalid),
    list("list with an invalid page token", { pageToken: "abc" }, "api.bad_page_token"),
    list("list with an excessive page size", { pageSize: 1001 }, invalid),
    {
      title: "list the second of two",
      operation: "ListNetworks",
      request: (seen) => {
        const first = seen.get("list the first of two") as { answer: { nextPageToken: string } };
        return { project, pageSize: 1, orderBy: "-name", pageToken: first.answer.nextPageToken };
      },
    },
    { title: "events", operation: "ListEvents", request: () => ({ project, filter: "kind=Network" }) },
    { title: "audit", operation: "ListAuditRecords", request: () => ({ project, filter: "kind=Cluster" }) },
  ];
}

function refusal(mark: string, { kind, what, input }: (typeof rejectedInputs)[number], index: number): Step {
  const place = placeOf(mark, getKind(kind));
  return {
    title: `rejected input ${index}: ${kind} ${what}`,
    operation: rpc("create", kind),
    request: () => ({ ...place, entity: input }),
    fault: invalid,
  };
}

/**
 * Returns the steps that delete parents. Without a cascade, the server rejects the deletion. With a cascade, it deletes the children as
 * well.
 */
function familiesOf(mark: string): Step[] {
  const project = nameOf(mark, "Project");
  const refused = ["Account", "Network", "Cluster", "Project"].map((kind): Step => {
    const own = { ...placeOf(mark, getKind(kind)), name: nameOf(mark, kind) };
    return {
      title: `delete ${kind} with children, without a cascade`,
      operation: rpc("delete", kind),
      request: () => own,
      fault: "api.has_children",
    };
  });
  const network = `${nameOf(mark, "Network")}-2`;
  const below: JsonObject = { metadata: { name: "below" }, spec: { network } };
  return [
    ...refused,
    { title: "create below the second Network", operation: "CreateCluster", request: () => ({ project, entity: below }) },
    {
      title: "delete the second Network with its children",
      operation: "DeleteNetwork",
      request: () => ({ project, name: network, cascade: true }),
    },
    {
      title: "get the child of the second Network",
      operation: "GetCluster",
      request: () => ({ project, name: "below" }),
      fault: missing,
    },
  ];
}

function endOf(mark: string, kind: Kind): Step[] {
  const operation = rpc("delete", kind.kind);
  const own = { ...placeOf(mark, kind), name: nameOf(mark, kind.kind) };
  const hasTwin = has("update", kind.kind) && kind.kind !== "Network";
  return [
    ...(hasTwin
      ? [{ title: `delete the second ${kind.kind}`, operation, request: () => ({ ...own, name: `${own.name}-2` }) }]
      : []),
    {
      title: `delete an outdated version of ${kind.kind}`,
      operation,
      request: (seen) => ({ ...own, resourceVersion: `${metadataOf(seen, `create ${kind.kind}`)["resourceVersion"]}000000` }),
      fault: "store.stale",
    },
    { title: `dry run of delete ${kind.kind}`, operation, request: () => ({ ...own, dryRun: true }) },
    { title: `delete ${kind.kind}`, operation, request: () => own },
    { title: `delete ${kind.kind} again`, operation, request: () => own, fault: missing },
  ];
}
