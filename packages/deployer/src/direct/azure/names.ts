import { createHash } from "node:crypto";
import { textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";

/** The version of the Terraform configuration whose names and defaults the blueprints share. */
export const configuration = "v1.1.0";

/** Returns a cluster's name in Azure. Until the first apply has finished, it is derived in the same way as in the configuration. */
export function nameInCloud(entity: DeployedEntity<"Cluster">, outputs: JsonObject): string {
  return textOf(outputs["cluster_name"]) || uniqueName(entity);
}

/** Returns an entity's name followed by the last characters of its uid, which are random. */
export function uniqueName({ name, uid }: Pick<DeployedEntity, "name" | "uid">): string {
  return `${name.slice(0, 40).replace(/-$/, "")}-${uid.replaceAll("-", "").slice(-8)}`;
}

/**
 * Returns a pool's name in AKS. AKS allows at most 12 lower-case letters and digits. As in the configuration, a name that does not fit is
 * shortened, and a part of its hash is appended.
 */
export function poolNameOf(name: string): string {
  if (/^[a-z][a-z0-9]{0,11}$/.test(name)) return name;
  return `${name.replaceAll("-", "").slice(0, 7)}${createHash("sha1").update(name).digest("hex").slice(0, 5)}`;
}

/** Derives a UUID for one resource of an entity. The same input always yields the same UUID. */
export function deriveUuid(uid: string, part: string): string {
  const digits = createHash("sha256").update(`${uid}/${part}`).digest("hex");
  return digits.replace(/^(.{8})(.{4}).(.{3})(.)(.{3})(.{12}).*$/, "$1-$2-4$3-8$5-$6");
}
