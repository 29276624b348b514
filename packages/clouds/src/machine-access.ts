import type { JsonObject, Secret } from "@cloudwright/platform";

/** A machine that already exists, and how to log in to it. */
export interface MachineAccess {
  /** Name of the machine in its inventory. */
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly privateKeys: readonly Secret[];
  /** SSH host keys to trust. If there are none, the machine's keys are only read. */
  readonly hostKeys: readonly string[];
  /** Public keys that the claiming instance installs. Empty for checks. */
  readonly authorizedKeys: readonly string[];
  /** Management controller. Undefined if the machine has none. */
  readonly controller?: MachineController;
}

/** A management controller with a Redfish interface. */
export interface MachineController {
  readonly address: string;
  readonly user: string;
  readonly password: Secret;
  readonly system: string;
  readonly fingerprint: string;
  readonly ca: string;
}

/** What a check found about a machine. `report` has the fields of the contract's InventoryHostStatus. */
export interface MachineReport {
  readonly name: string;
  readonly report: JsonObject;
}
