import type {
  AdjustSimulatedCloudRequestJson,
  DriftSimulatedRecordRequestJson,
  FailSimulatedCallRequestJson,
  IssueSimulatedCredentialsRequestJson,
  SimulatedCloudJson,
  SimulatedCredentialsJson,
  SimulatedFaultJson,
  SimulatedRecordJson,
} from "@cloudwright/contract/gen/cloudwright/v1/simulator_pb.ts";
import type { Page } from "./entity.ts";
import { pathSegment, type CallOptions } from "./resource.ts";
import type { Transport } from "./transport.ts";

/** Identifies a record in a simulated cloud. */
export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

export interface RecordQuery extends CallOptions {
  readonly type?: string | undefined;
  /** Returns only records owned by the entity with this uid. */
  readonly entityUid?: string | undefined;
}

type Wanted<Request> = Omit<Request, "project" | "name">;

/** Simulated clouds with their resources and faults. `account` is the name or uid of a simulated account. */
export interface Simulations {
  get(project: string, account: string, options?: CallOptions): Promise<SimulatedCloudJson>;
  /** Changes speed, throttling and quotas. Omitted settings stay unchanged. */
  adjust(
    project: string,
    account: string,
    change: Wanted<AdjustSimulatedCloudRequestJson>,
    options?: CallOptions,
  ): Promise<SimulatedCloudJson>;
  /** Deletes all resources, faults and settings of the cloud. */
  reset(project: string, account: string, options?: CallOptions): Promise<SimulatedCloudJson>;
  /** Returns credentials for using the simulated account with the cloud's own tools. */
  credentials(
    project: string,
    account: string,
    wanted?: Wanted<IssueSimulatedCredentialsRequestJson>,
    options?: CallOptions,
  ): Promise<SimulatedCredentialsJson>;
  records(project: string, account: string, query?: RecordQuery): AsyncIterable<SimulatedRecordJson>;
  record(project: string, account: string, key: RecordKey, options?: CallOptions): Promise<SimulatedRecordJson>;
  /** Changes a record behind Terraform's back. */
  drift(
    project: string,
    account: string,
    key: RecordKey,
    attributes: NonNullable<DriftSimulatedRecordRequestJson["attributes"]>,
    options?: CallOptions,
  ): Promise<SimulatedRecordJson>;
  /** Deletes a record behind Terraform's back. */
  remove(project: string, account: string, key: RecordKey, options?: CallOptions): Promise<SimulatedRecordJson>;
  fail(
    project: string,
    account: string,
    fault: Wanted<FailSimulatedCallRequestJson>,
    options?: CallOptions,
  ): Promise<SimulatedFaultJson>;
  faults(project: string, account: string, options?: CallOptions): AsyncIterable<SimulatedFaultJson>;
  /** Removes one simulated fault, or all of them if no uid is given. */
  clear(
    project: string,
    account: string,
    options?: CallOptions & { readonly uid?: string | undefined },
  ): Promise<SimulatedCloudJson>;
}

/** Creates the client for simulated clouds. `inside` renders a path within a project. */
export function createSimulations(transport: Transport, inside: (project: string, path: string) => string): Simulations {
  const at = (project: string, account: string, rest = ""): string =>
    inside(project, `accounts/${pathSegment(account)}/simulation${rest}`);
  const read = async <Answer>(
    path: string,
    query: Parameters<Transport["send"]>[0]["query"],
    signal?: AbortSignal,
  ): Promise<Answer> =>
    transport.send<Answer>({ method: "GET", path, ...(query === undefined ? {} : { query }), signal, replayable: true });
  // Adding a fault, clearing a single fault and deleting a record are not safe to repeat. All other changes are safe to repeat.
  const change = async <Answer>(path: string, body: object, replayable: boolean, signal?: AbortSignal): Promise<Answer> =>
    transport.send<Answer>({ method: "POST", path, body, signal, replayable });
  async function* listAll<Item>(path: string, query: object, signal: AbortSignal | undefined): AsyncGenerator<Item> {
    let pageToken: string | undefined;
    do {
      const page = await read<Partial<Page<Item>>>(path, { ...query, pageSize: 1000, pageToken }, signal);
      yield* page.items ?? [];
      pageToken = page.nextPageToken || undefined;
    } while (pageToken !== undefined);
  }
  return {
    get: async (project, account, { signal } = {}) => read(at(project, account), undefined, signal),
    adjust: async (project, account, wanted, { signal } = {}) => change(at(project, account, "/adjust"), wanted, true, signal),
    reset: async (project, account, { signal } = {}) => change(at(project, account, "/reset"), {}, true, signal),
    credentials: async (project, account, wanted = {}, { signal } = {}) =>
      change(at(project, account, "/credentials"), wanted, true, signal),
    records: (project, account, { type, entityUid, signal } = {}) =>
      listAll(at(project, account, "/records"), { type, entityUid }, signal),
    record: async (project, account, { type, id }, { signal } = {}) =>
      read(at(project, account, "/record"), { type, id }, signal),
    drift: async (project, account, { type, id }, attributes, { signal } = {}) =>
      change(at(project, account, "/drift"), { type, id, attributes }, true, signal),
    remove: async (project, account, { type, id }, { signal } = {}) =>
      change(at(project, account, "/remove"), { type, id }, false, signal),
    fail: async (project, account, fault, { signal } = {}) => change(at(project, account, "/fail"), fault, false, signal),
    faults: (project, account, { signal } = {}) => listAll(at(project, account, "/faults"), {}, signal),
    clear: async (project, account, { signal, uid = "" } = {}) =>
      change(at(project, account, "/clear"), { uid }, uid === "", signal),
  };
}
