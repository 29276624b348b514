import type { JsonObject } from "@bufbuild/protobuf";
import { Fault } from "@cloudwright/platform";
import { taskClientFaults } from "./faults.ts";

/** The payload versions that this release understands. */
export const payloadVersions = { min: 1, max: 2 } as const;

/** The types of tasks that the platform writes. */
export const taskTypes: readonly string[] = [
  "account.verify",
  ...["network", "cluster", "storage"].flatMap((kind) =>
    ["preflight", "look", "preview", "plan", "apply", "destroy", "check"].map((act) => `${kind}.${act}`),
  ),
  "cluster.access",
  "cluster.addons",
  "cluster.token",
];

/** The entity that a task works on. */
export interface PayloadEntity {
  readonly kind: string;
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  readonly environment: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

/** What a task carries: complete but for secrets. */
export interface TaskPayload {
  readonly action: string;
  readonly entity: PayloadEntity;
  readonly account: { uid: string; name: string; cloud: string; simulated: boolean; spec: JsonObject } | null;
  /** Nearest first. */
  readonly parents: readonly { kind: string; uid: string; name: string; spec: JsonObject; outputs: JsonObject }[];
  readonly nodePools: readonly { uid: string; name: string; generation: number; spec: JsonObject }[];
  /** What the entity's last apply produced. */
  readonly outputs: JsonObject;
  readonly fingerprint: string;
  /** Of an apply that follows a plan: the uid of the task that made it. Since version 2. */
  readonly plan?: string;
  /** Of a token of a cluster: whom it is for, and how long it is to work. */
  readonly access?: { readonly role: "admin" | "viewer"; readonly ttlSeconds: number };
}

/** Reads a payload; parts that are left out are empty. */
export function readPayload(version: number, json: JsonObject | undefined): TaskPayload {
  if (version < payloadVersions.min || version > payloadVersions.max) {
    throw new Fault(taskClientFaults.bad_payload, `the payload is of version ${version}, which this agent does not know`);
  }
  const entity = json?.["entity"];
  if (json === undefined || typeof entity !== "object" || entity === null || Array.isArray(entity)) {
    throw new Fault(taskClientFaults.bad_payload, "the payload names no entity");
  }
  const whole = {
    action: "",
    account: null,
    parents: [],
    nodePools: [],
    outputs: {},
    fingerprint: "",
    ...json,
    entity: { project: "", environment: "", generation: 0, labels: {}, annotations: {}, spec: {}, ...entity },
  };
  return whole as unknown as TaskPayload;
}
