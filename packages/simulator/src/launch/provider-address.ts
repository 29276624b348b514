import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";

export interface ProviderAddress {
  readonly host: string;
  readonly namespace: string;
  readonly name: string;
}

/** Parses `host/namespace/name`, or `namespace/name` with Terraform's default registry. Throws for any other format. */
export function parseProviderAddress(text: string): ProviderAddress {
  const pattern = /^(?:(?<host>[a-z0-9][a-z0-9.-]*(?::\d+)?)\/)?(?<namespace>[a-z0-9][a-z0-9_-]*)\/(?<name>[a-z0-9][a-z0-9-]*)$/;
  const parts = pattern.exec(text)?.groups;
  if (parts === undefined) throw new Fault(simulatorFaults.bad_address, `"${text}" is not a provider address`);
  return { host: parts["host"] ?? hosts[0], namespace: parts["namespace"] as string, name: parts["name"] as string };
}

const hosts = ["registry.terraform.io", "registry.opentofu.org"] as const;

/** Returns every address that a `source` argument can refer to, because Terraform and OpenTofu have different default registries. */
export function listAddresses(text: string): string[] {
  const { host, namespace, name } = parseProviderAddress(text);
  const meant = (hosts as readonly string[]).includes(host) ? hosts : [host];
  return meant.map((each) => `${each}/${namespace}/${name}`);
}
