import type { MachineAccess } from "@cloudwright/clouds";
import { findParent, readBmcPasswords } from "@cloudwright/contract";
import type { InventoryHost, InventorySpec } from "@cloudwright/contract/gen/cloudwright/v1/inventory_pb.ts";
import { Fault, Secret } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import type { DeployedEntity, LentSecrets, StateAccess, Surroundings } from "../task.ts";

const defaultUser = "root";
const defaultPort = 22;

/** Returns the user that the platform logs in as on a host. */
export function userOf(inventory: Pick<InventorySpec, "user">, host: Pick<InventoryHost, "user">): string {
  return host.user || inventory.user || defaultUser;
}

export function portOf({ port }: Pick<InventoryHost, "port">): number {
  return port || defaultPort;
}

/** The secrets of an inventory: those of its SSH key and of its management controllers. */
export interface InventorySecrets {
  readonly privateKeys: readonly Secret[];
  /** Keyed by host. */
  readonly passwords: ReadonlyMap<string, Secret>;
}

/** Collects the secrets of an inventory for one of its own tasks, or for a task of an instance that has claimed a host. */
export function readInventorySecrets({ secrets, lent }: Pick<StateAccess, "secrets" | "lent">): InventorySecrets {
  const all: readonly LentSecrets["secrets"][] = [secrets?.reveal() ?? {}, ...(lent?.reveal() ?? []).map((each) => each.secrets)];
  const valuesAt = (path: string): string[] => all.flatMap((each) => each[path] ?? []);
  const passwords = valuesAt("spec.bmcPasswords").flatMap((text) => [...(readBmcPasswords(text) ?? [])]);
  return {
    privateKeys: valuesAt("spec.privateKey").map((key) => new Secret(key)),
    passwords: new Map(passwords.map(([host, password]) => [host, new Secret(password)])),
  };
}

/** Renders how to log in to a host. `authorizedKeys` are the keys that a claiming instance installs. */
export function renderMachine(
  inventory: InventorySpec,
  host: InventoryHost,
  { privateKeys, passwords }: InventorySecrets,
  authorizedKeys: readonly string[] = [],
): MachineAccess {
  const { name, address, hostKeys, bmc } = host;
  const password = passwords.get(name);
  const login = { name, address, port: portOf(host), user: userOf(inventory, host), privateKeys, hostKeys, authorizedKeys };
  if (bmc === undefined || password === undefined) return login;
  const { address: at, user, system, fingerprint, ca } = bmc;
  return { ...login, controller: { address: at, user, password, system, fingerprint, ca } };
}

/** The host that an instance has claimed, with its inventory. */
export interface ClaimedHost {
  readonly inventory: InventorySpec;
  readonly host: InventoryHost;
}

/** Returns the host that an instance has claimed. Throws if the inventory no longer lists it. */
export function getClaimedHost({ name, spec }: DeployedEntity<"Instance">, around: Pick<Surroundings, "parents">): ClaimedHost {
  const inventory = findParent(around, "Inventory");
  const host = inventory?.spec.hosts.find((each) => each.name === spec.host);
  if (inventory !== undefined && host !== undefined) return { inventory: inventory.spec, host };
  throw new Fault(deployerFaults.bad_spec, `the inventory "${spec.inventory}" of ${name} does not list the host "${spec.host}"`);
}

/** Returns the public keys that an instance installs on the host that it claims. */
export function listInstanceKeys({ references }: Pick<Surroundings, "references">): string[] {
  return references.filter(({ field }) => field === "sshKeys").map((key) => textOf(key.spec["publicKey"]).trim());
}
