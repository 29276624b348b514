import { getKind, isNamedBelow, type KindName } from "@cloudwright/contract/kinds";
import type { CreateJoinTokenResponseJson } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import type { BackendUseJson } from "@cloudwright/contract/gen/cloudwright/v1/backend_pb.ts";
import type { KubeconfigJson } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import type { AuditRecordJson } from "@cloudwright/contract/gen/cloudwright/v1/audit_record_pb.ts";
import type { EventJson } from "@cloudwright/contract/gen/cloudwright/v1/event_pb.ts";
import type { SshKeyPairJson } from "@cloudwright/contract/gen/cloudwright/v1/ssh_key_pb.ts";
import type { InstanceAccessJson, InstanceLogJson } from "@cloudwright/contract/gen/cloudwright/v1/instance_pb.ts";
import type {
  CreateTokenRequestJson,
  CreateTokenResponseJson,
  ListPermissionsResponseJson,
  WhoAmIResponseJson,
} from "@cloudwright/contract/gen/cloudwright/v1/identity_pb.ts";
import type { EntityByKind, Page, ProjectWatchEvent } from "./entity.ts";
import type { GetTimelineResponseJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type { ListTaskLogsResponseJson } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { createResource, listAll, listPage, pathSegment, type CallOptions, type ListQuery, type Resource } from "./resource.ts";
import {
  scope,
  type Agents,
  type ApiKeys,
  type Accounts,
  type Clusters,
  type InCluster,
  type InProject,
  type Instances,
  type SshKeys,
  type Nowhere,
  type Operations,
  type Pausable,
  type Tasks,
  type Volumes,
  type Writable,
} from "./scoped.ts";
import { createDrifts, type Drifts } from "./drifts.ts";
import { createRuns, type Runs } from "./runs.ts";
import { createSimulations, type Simulations } from "./simulations.ts";
import { createStates, type States } from "./states.ts";
import { createTransport, type ClientOptions } from "./transport.ts";
import { watch, type WatchOptions } from "./watch.ts";

/** Identifies a collection's container: its project and, for node pools, its cluster. Global kinds need neither. */
export interface Place {
  readonly project?: string;
  readonly cluster?: string;
}

/** A read-only list of records that are not entities, newest first. */
export interface Journal<Item> {
  list(project: string, query?: ListQuery): Promise<Page<Item>>;
  listAll(project: string, query?: ListQuery): AsyncIterable<Item>;
}

/** A typed client for the whole API. */
export interface Client {
  readonly projects: Pausable<Nowhere, EntityByKind["Project"]>;
  readonly users: Writable<Nowhere, EntityByKind["User"]>;
  readonly backends: Writable<Nowhere, EntityByKind["Backend"]>;
  /** Lists the entities in all projects whose Terraform state is stored outside the platform, newest first. */
  listBackendUses(options?: CallOptions): AsyncIterable<BackendUseJson>;
  readonly apiKeys: ApiKeys;
  readonly roleBindings: Writable<InProject, EntityByKind["RoleBinding"]>;
  readonly environments: Writable<InProject, EntityByKind["Environment"]>;
  readonly accounts: Accounts;
  readonly networks: Pausable<InProject, EntityByKind["Network"]>;
  readonly clusters: Clusters;
  readonly nodePools: Pausable<InCluster, EntityByKind["NodePool"]>;
  readonly storages: Pausable<InProject, EntityByKind["Storage"]>;
  readonly sshKeys: SshKeys;
  readonly securityGroups: Pausable<InProject, EntityByKind["SecurityGroup"]>;
  readonly instances: Instances;
  readonly volumes: Volumes;
  readonly inventories: Pausable<InProject, EntityByKind["Inventory"]>;
  readonly volumeSnapshots: Pausable<InProject, EntityByKind["VolumeSnapshot"]>;
  readonly agents: Agents;
  readonly operations: Operations;
  readonly tasks: Tasks;
  readonly states: States;
  readonly runs: Runs;
  readonly drifts: Drifts;
  readonly simulations: Simulations;
  readonly events: Journal<EventJson>;
  readonly auditRecords: Journal<AuditRecordJson>;
  /** Returns the collection for a kind that is known only at run time. */
  resource<Name extends KindName>(kind: Name, place: Place): Resource<EntityByKind[Name]>;
  /** Streams changes to entities of all kinds in a project, and the project's events. */
  watchProject(project: string, options?: WatchOptions): AsyncIterable<ProjectWatchEvent>;
  whoAmI(options?: CallOptions): Promise<WhoAmIResponseJson>;
  /** Returns the caller's permissions in a project. */
  permissions(project: string, options?: CallOptions): Promise<ListPermissionsResponseJson>;
  /** Creates a signed token for calling another service. The token is valid for at most five minutes. */
  createToken(request: CreateTokenRequestJson, options?: CallOptions): Promise<CreateTokenResponseJson>;
}

/** Creates a client. It sends nothing until a method is called. */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const resource = <Name extends KindName>(kind: Name, place: Place): Resource<EntityByKind[Name]> =>
    createResource(transport, collectionPath(kind, place));
  const inProject = <Scoped>(kind: KindName): Scoped => scope(1, ([project]) => resource(kind, { project: project as string }));
  const inCluster = ([project, cluster]: readonly string[]): Resource<EntityByKind["NodePool"]> =>
    resource("NodePool", { project: project as string, cluster: cluster as string });
  const inside = (project: string, path: string): string => `/v1/projects/${pathSegment(project)}/${path}`;
  const journal = <Item>(collection: string): Journal<Item> => ({
    list: async (project, query) => listPage(transport, inside(project, collection), query),
    listAll: (project, query) => listAll(transport, inside(project, collection), query),
  });
  return {
    projects: scope(0, () => resource("Project", {})),
    users: scope(0, () => resource("User", {})),
    backends: scope(0, () => resource("Backend", {})),
    listBackendUses: ({ signal } = {}) => listAll(transport, "/v1/backenduses", { signal, pageSize: 1000 }),
    apiKeys: scope(0, () => resource("ApiKey", {})),
    roleBindings: inProject("RoleBinding"),
    environments: inProject("Environment"),
    accounts: {
      ...inProject<Accounts>("Account"),
      kubeconfig: async (project, name, { discovery, cluster, signal, role = "" as const, ttlSeconds = 0, exec = false }) =>
        transport.send<KubeconfigJson>({
          method: "POST",
          path: inside(project, `accounts/${pathSegment(name)}:kubeconfig`),
          body: { discovery, cluster, role, ttlSeconds, exec },
          signal,
          replayable: true,
        }),
    },
    networks: inProject("Network"),
    clusters: {
      ...inProject<Clusters>("Cluster"),
      kubeconfig: async (project, name, { signal, role = "" as const, ttlSeconds = 0, exec = false } = {}) =>
        transport.send<KubeconfigJson>({
          method: "POST",
          path: inside(project, `clusters/${pathSegment(name)}:kubeconfig`),
          body: { role, ttlSeconds, exec },
          signal,
          replayable: true,
        }),
    },
    nodePools: scope(2, inCluster),
    storages: inProject("Storage"),
    sshKeys: {
      ...inProject<SshKeys>("SshKey"),
      rotate: async (project, name, given) => resource("SshKey", { project }).act(name, "rotate", { ...given, replayable: true }),
      openPrivate: async (project, name, { signal } = {}) => {
        const path = inside(project, `sshkeys/${pathSegment(name)}:private`);
        return transport.send<SshKeyPairJson>({ method: "POST", path, body: {}, signal, replayable: true });
      },
    },
    securityGroups: inProject("SecurityGroup"),
    inventories: inProject("Inventory"),
    instances: {
      ...inProject<Instances>("Instance"),
      openSsh: async (project, name, { signal } = {}) => {
        const path = inside(project, `instances/${pathSegment(name)}:ssh`);
        return transport.send<InstanceAccessJson>({ method: "POST", path, body: {}, signal, replayable: true });
      },
      log: async (project, name, { signal } = {}) => {
        const path = inside(project, `instances/${pathSegment(name)}:log`);
        return (await transport.send<InstanceLogJson>({ method: "POST", path, body: {}, signal, replayable: true })).text ?? "";
      },
    },
    volumes: {
      ...inProject<Volumes>("Volume"),
      attach: async (project, name, instance, given) =>
        resource("Volume", { project }).act(name, "attach", { ...given, body: { instance } }),
      // Without the instance, a repeated request could detach the volume from an instance that it was attached to in the meantime.
      detach: async (project, name, { instance = "", ...given } = {}) =>
        resource("Volume", { project }).act(name, "detach", { ...given, body: { instance }, replayable: instance !== "" }),
    },
    volumeSnapshots: inProject("VolumeSnapshot"),
    agents: {
      ...inProject<Agents>("Agent"),
      createJoinToken: async (project, { signal, ttlSeconds = 0 } = {}) =>
        transport.send<CreateJoinTokenResponseJson>({
          method: "POST",
          path: inside(project, "jointokens"),
          body: { ttlSeconds },
          signal,
          replayable: true,
        }),
    },
    operations: {
      ...inProject<Operations>("Operation"),
      timeline: async (project, name, { signal, logLines } = {}) => {
        const path = inside(project, `operations/${pathSegment(name)}/timeline`);
        const call = { method: "GET", path, query: { logLines }, signal, replayable: true } as const;
        return (await transport.send<GetTimelineResponseJson>(call)).items ?? [];
      },
    },
    tasks: {
      ...inProject<Tasks>("Task"),
      logs: async (project, name, { signal, after, pageSize } = {}) => {
        const path = inside(project, `tasks/${pathSegment(name)}/logs`);
        const call = { method: "GET", path, query: { after, pageSize }, signal, replayable: true } as const;
        return (await transport.send<ListTaskLogsResponseJson>(call)).items ?? [];
      },
    },
    states: createStates(transport, inside),
    runs: createRuns(transport, inside),
    drifts: createDrifts(transport, inside),
    simulations: createSimulations(transport, inside),
    events: journal("events"),
    auditRecords: journal("auditrecords"),
    resource,
    watchProject: (project, watchOptions = {}) => watch(transport, inside(project, "watch"), {}, watchOptions),
    whoAmI: ({ signal } = {}) => transport.send({ method: "GET", path: "/v1/whoami", signal, replayable: true }),
    permissions: async (project, { signal } = {}) =>
      transport.send({ method: "GET", path: inside(project, "permissions"), signal, replayable: true }),
    createToken: (body, { signal } = {}) =>
      transport.send({ method: "POST", path: "/v1/tokens", body, signal, replayable: true }),
  };
}

/** Returns the URL path of a kind's collection. */
export function collectionPath(kind: KindName, place: Place): string {
  const own = getKind(kind);
  const { collection, scope: reach } = own;
  if (reach === "global") return `/v1/${collection}`;
  const project = `/v1/projects/${pathSegment(place.project ?? "")}`;
  const above = isNamedBelow(own) ? `/${getKind(own.parent?.kind ?? "").collection}/${pathSegment(place.cluster ?? "")}` : "";
  return `${project}${above}/${collection}`;
}
