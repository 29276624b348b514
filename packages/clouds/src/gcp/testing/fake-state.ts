import type { Cluster, Disk, Firewall, Instance } from "../models.ts";

type Json = Readonly<Record<string, unknown>>;

/** A response. */
export interface Answer {
  readonly status: number;
  readonly body: Json | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation that ends after a number of further requests. */
export interface FakeOperation {
  readonly name: string;
  readonly target: string;
  readonly endsAt: number;
  readonly finish: () => void;
  readonly error?: object;
  isDone: boolean;
}

/** The resources of the fake project, its operations and the faults to inject. */
export interface FakeState {
  readonly clusters: Map<string, Cluster>;
  readonly instances: Map<string, Instance>;
  /** Disks other than boot disks, keyed by zone and name. */
  readonly disks: Map<string, Disk>;
  readonly firewalls: Map<string, Firewall>;
  readonly operations: Map<string, FakeOperation>;
  /** Nodes per zone, keyed by the pool's path. */
  readonly sizes: Map<string, number>;
  /** Operations, keyed by the ID of the request that started them. */
  readonly requests: Map<string, FakeOperation>;
  readonly zones: string[];
  readonly missingZones: string[];
  /** Errors with which the next operations fail. */
  readonly operationErrors: object[];
  /** Number of requests so far. This count determines when operations end. */
  tick: number;
  /** Starts an operation that ends after a few more requests. */
  start(target: string, finish: () => void): FakeOperation;
}

/** Operations end after this many requests. */
const duration = 5;

/** Creates the state of an empty project. */
export function createState(): FakeState {
  const state: FakeState = {
    clusters: new Map(),
    instances: new Map(),
    disks: new Map(),
    firewalls: new Map(),
    operations: new Map(),
    sizes: new Map(),
    requests: new Map(),
    zones: ["us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f", "europe-west1-b"],
    missingZones: [],
    operationErrors: [],
    tick: 0,
    start(target, finish) {
      const error = state.operationErrors.shift();
      const operation = {
        name: `operation-${state.operations.size + 1}`,
        target,
        endsAt: state.tick + duration,
        finish,
        isDone: false,
        ...(error === undefined ? {} : { error }),
      };
      state.operations.set(operation.name, operation);
      return operation;
    },
  };
  return state;
}

/** Returns an error response as GKE and Compute Engine send it. */
export function refuse(status: number, word: string, message: string, reason = word): Answer {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: `request-${status}` }];
  return { status, body: { error: { code: status, status: word, message, errors: [{ reason, message }], details } } };
}
