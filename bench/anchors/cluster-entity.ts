import { overlaps, parseRange } from "@cloudwright/contract";
import { createUid } from "@cloudwright/platform";
import type { CallerRow, EntityInsert, LineageRow, OperationInsert, ReferenceRow, Trace } from "@cloudwright/store";
import { Refusal } from "./caller.ts";
import { findWarnings } from "./cluster-policies.ts";
import { emptyClouds, type ClusterInput } from "./cluster-schema.ts";

type Cloud = keyof typeof emptyClouds;
type NetworkSpec = { readonly cidr: string } & Partial<Record<Cloud, unknown>>;

const clouds = ["aws", "gcp", "azure", "local"] as const;

export interface Call {
  readonly caller: CallerRow;
  readonly project: string;
  readonly source: string;
  readonly requestId: string;
}

/** All rows that the product writes when it creates a cluster. */
export interface ClusterWrite {
  readonly insert: EntityInsert;
  readonly trace: Trace;
  readonly operation: OperationInsert;
}

/** Builds exactly the rows that the product would write for a new cluster. */
export function buildCluster(
  call: Call,
  input: ClusterInput,
  network: ReferenceRow,
  above: readonly LineageRow[],
  environment: ReferenceRow | undefined,
  versions: readonly [string, string, string],
): ClusterWrite {
  const nowMs = Date.now();
  const at = new Date(nowMs).toISOString();
  const uid = createUid(nowMs);
  const { name, labels, annotations } = input.metadata;
  const environmentName = environment?.name ?? network.environment;
  const [resourceVersion, eventVersion, operationVersion] = versions;
  const operation = buildOperation(call, { uid, name, environment: environmentName, at, version: operationVersion });
  const entity = {
    metadata: {
      project: call.project,
      name,
      uid,
      labels,
      annotations,
      generation: 1,
      resourceVersion,
      createdAt: at,
      updatedAt: at,
      environment: environmentName,
      paused: false,
      deletionProtection: input.metadata.deletionProtection,
      deletionPolicy: input.metadata.deletionPolicy,
      operation: operation.name,
      parent: network.name,
    },
    spec: buildSpec(input, network),
    status: {
      phase: "PENDING",
      conditions: [],
      observedGeneration: 0,
      message: "accepted; waiting for the reconciler",
      progressPercent: 0,
    },
  };
  const object = JSON.stringify(entity);
  const place = { project: call.project, kind: "Cluster", name } as const;
  const insert: EntityInsert = {
    uid,
    ...place,
    namingScope: "",
    parentUid: network.uid,
    subjectUid: null,
    environmentUid: environment?.uid ?? network.environment_uid,
    environment: environmentName,
    labels,
    resourceVersion,
    at,
    object,
    sealed: null,
  };
  const event = {
    uid: createUid(nowMs),
    at,
    type: "Normal",
    reason: "Created",
    message: ["Cluster created", ...findWarnings(input, environmentName, above)].join("; "),
    ...place,
    entityUid: uid,
    actor: call.caller.user_name,
  } as const;
  const change = { at, type: "ADDED", project: call.project, environment: environmentName, oldLabels: null } as const;
  const trace: Trace = {
    changes: [
      { ...change, seq: resourceVersion, kind: "Cluster", uid, parentUid: network.uid, labels, object },
      { ...change, seq: eventVersion, kind: "Event", uid: event.uid, parentUid: uid, labels: {}, object: JSON.stringify(event) },
      {
        ...change,
        seq: operationVersion,
        kind: "Operation",
        uid: operation.uid,
        parentUid: null,
        labels: {},
        object: operation.object,
      },
    ],
    events: [event],
    audits: [
      {
        uid: createUid(nowMs),
        at,
        actor: call.caller.user_name,
        credential: `key:${call.caller.prefix}`,
        verb: "create",
        ...place,
        entityUid: uid,
        outcome: "allowed",
        code: "",
        source: call.source,
        requestId: call.requestId,
      },
    ],
  };
  return { insert, trace, operation };
}

interface Followed {
  readonly uid: string;
  readonly name: string;
  readonly environment: string;
  readonly at: string;
  readonly version: string;
}

/** Builds the operation that tracks the creation of a cluster. */
function buildOperation({ project, caller }: Call, cluster: Followed): OperationInsert {
  const { at, environment, version: resourceVersion } = cluster;
  const uid = createUid(Date.now());
  const name = `op-${uid.slice(-12)}`;
  const metadata = {
    project,
    name,
    uid,
    labels: {},
    annotations: {},
    generation: 1,
    resourceVersion,
    createdAt: at,
    updatedAt: at,
    environment,
    paused: false,
    deletionProtection: false,
    deletionPolicy: "",
    operation: "",
    parent: "",
  };
  const spec = {
    verb: "create",
    entityKind: "Cluster",
    entityUid: cluster.uid,
    entityName: cluster.name,
    entityGeneration: 1,
    actor: caller.user_name,
    force: false,
    retries: 0,
    cancelReason: "",
  };
  const status = { state: "WAITING", message: "accepted", progressPercent: 0, steps: [], code: "", abandoned: [], left: [] };
  return { uid, project, name, environment, resourceVersion, at, object: JSON.stringify({ metadata, spec, status }) };
}

function buildSpec(input: ClusterInput, network: ReferenceRow): object {
  const { spec: networkSpec } = JSON.parse(network.object) as { spec: NetworkSpec };
  const { spec } = input;
  const cloud = clouds.find((candidate) => spec[candidate] !== undefined);
  const networkCloud = clouds.find((candidate) => networkSpec[candidate] !== undefined);
  if (cloud !== undefined && networkCloud !== undefined && cloud !== networkCloud)
    throw new Refusal(400, `the network is on ${networkCloud}`);
  requireRanges(input, networkSpec.cidr);
  const version = spec.version.replace(/^v/, "") || "1.34";
  return {
    ...spec,
    network: network.name,
    version,
    ...(cloud === undefined && networkCloud !== undefined ? { [networkCloud]: emptyClouds[networkCloud] } : {}),
  };
}

/** Throws if a CIDR range has host bits, or if the pod, service and network ranges overlap. */
function requireRanges({ spec }: ClusterInput, cidr: string): void {
  if (spec.networking === undefined) return;
  const outer = parseRange(cidr);
  const pods = parseRange(spec.networking.podCidr || "192.168.0.0/16");
  const services = parseRange(spec.networking.serviceCidr || "10.96.0.0/12");
  if (pods === undefined || services === undefined) throw new Refusal(400, "a range has host bits");
  if (overlaps(pods, services)) throw new Refusal(400, "pod and service ranges overlap");
  if (outer !== undefined && (overlaps(outer, pods) || overlaps(outer, services)))
    throw new Refusal(400, "a range overlaps the network's");
}
