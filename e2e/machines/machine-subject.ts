import type { EntityJson, JsonObject } from "@cloudwright/contract";
import type { RunningServer } from "../server.ts";
import type { SimulatedCloud } from "../simulated-cloud.ts";

/** What differs between the clouds in the contract suite for instances, volumes, security groups and SSH keys. */
export interface MachineSubject {
  readonly cloud: string;
  /** Starts a server, and everything else that the accounts below need. */
  start(): Promise<MachinePlatform>;
  /** Spec of the account that everything is built in. */
  readonly account: JsonObject;
  /** Spec of a second account of the same cloud. Nothing is built in it. */
  readonly otherAccount: JsonObject;
  /** Specs without the fields that the suite sets: references, sizes, rules and keys. */
  readonly network: JsonObject;
  readonly instance: JsonObject;
  readonly volume: JsonObject;
  /** Specs of volumes in another region or zone than the instances, as far as the cloud has them. */
  readonly distantVolumes: readonly JsonObject[];
  /** Reads what the cloud itself reports. Absent where the suite has no access to the cloud. */
  readonly observe?: CloudView;
  /** Changes behind the platform's back. */
  readonly changes: readonly OutsideChange[];
}

/** A server with an account's cloud. */
export interface MachinePlatform {
  readonly server: RunningServer;
  /** The cloud of the account `main`. Absent if it is not simulated. */
  readonly simulated?: SimulatedCloud;
  /** Lists the resources that exist for the account's entities, such as `aws_instance/i-1`. */
  listLeft(): Promise<readonly string[]>;
  /** Stops the server. Throws if something remains that it cannot remove. */
  stop(): Promise<void>;
}

/** The cloud's own view of the entities. */
export interface CloudView {
  /** Returns the cloud's id of the instance that a volume is attached to. Empty if it is detached. */
  readAttachment(cloud: SimulatedCloud, volume: EntityJson): Promise<string>;
  readSizeGib(cloud: SimulatedCloud, volume: EntityJson): Promise<number>;
  /** Returns the groups of an instance in the form of `status.groupId` of a security group, in any order. */
  listGroups(cloud: SimulatedCloud, instance: EntityJson): Promise<readonly string[]>;
  /**
   * Returns the ingress rules of a group in any order, as `tcp 22-22 from 10.0.0.0/8` or `tcp 22-22 from <groupId>`. A rule with several
   * sources is returned once for each of them.
   */
  listIngress(cloud: SimulatedCloud, group: EntityJson): Promise<readonly string[]>;
}

/** A change of an entity's resources that the platform does not know about. */
export interface OutsideChange {
  /** What the change does, as the end of a test title. */
  readonly what: string;
  readonly collection: "instances" | "volumes" | "securitygroups";
  readonly name: "one" | "data" | "db";
  make(platform: MachinePlatform, entity: EntityJson): Promise<void>;
}
