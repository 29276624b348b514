import type { JsonObject } from "@cloudwright/deployer";
import type { TestTaskOptions } from "@cloudwright/deployer/testing";
import type { CloudRecord } from "@cloudwright/simulator";

/** A spec that turns on every feature of a configuration. */
export interface RichSpec {
  /** Default: AWS. */
  readonly cloud?: string;
  /** Parents of the entity. Set only for clouds other than AWS. */
  readonly parents?: NonNullable<TestTaskOptions["parents"]>;
  /** Records that the account contains before the entity is built. Set only for clouds other than AWS. */
  readonly given?: readonly CloudRecord[];
  readonly service: "network" | "cluster" | "storage";
  readonly spec: JsonObject;
  readonly nodePools?: NonNullable<TestTaskOptions["nodePools"]>;
}
