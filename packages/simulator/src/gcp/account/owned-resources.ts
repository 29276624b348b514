import type { OwnedRecord } from "../../cloud/simulated-cloud.ts";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { textOf } from "../../values/read-value.ts";
import { tagsOf } from "./record-tags.ts";

/** Resource types that can have neither labels nor a description, with the attributes that name the resource they belong to. */
const references: Readonly<Record<string, readonly string[]>> = {
  google_compute_router_nat: ["router"],
  google_compute_disk_resource_policy_attachment: ["disk"],
  google_project_iam_member: ["member"],
  google_service_account_iam_member: ["service_account_id", "member"],
  google_kms_crypto_key_iam_member: ["crypto_key_id"],
  google_storage_bucket_iam_member: ["bucket"],
  google_storage_bucket_iam_policy: ["bucket"],
};

/**
 * Lists the resources of an entity: resources whose labels or description contain its uid, and resources that refer to one of them. A key
 * ring has neither labels nor a description. It is recognized by its name, which ends with the last characters of the entity's uid.
 */
export async function listOwned(inventory: Inventory, tenant: string, entityUid: string): Promise<readonly OwnedRecord[]> {
  const all = await inventory.list(tenant);
  const tagged = all.filter((record) => tagsOf(record)["cloudwright:entity"] === entityUid);
  const names = new Set(tagged.flatMap(namesOf));
  const suffix = entityUid.replaceAll("-", "").slice(-8);
  const others = all.filter(
    (record) =>
      references[record.type]?.some((name) => names.has(stripMember(textOf(record.attributes[name])))) === true ||
      (record.type === "google_kms_key_ring" && textOf(record.attributes["name"]).endsWith(`-${suffix}`)),
  );
  return [...tagged, ...others].map(describe);
}

// Other resources can refer to a resource by its id, name, self link, email address or unique id.
function namesOf({ id, attributes }: CloudRecord): string[] {
  const names = ["name", "self_link", "email", "unique_id"].map((name) => textOf(attributes[name]));
  return [id, ...names].filter((name) => name !== "");
}

function stripMember(text: string): string {
  return text.replace(/^serviceAccount:/, "").replace(/^projects\/-\/serviceAccounts\//, "");
}

function textsOf({ attributes }: CloudRecord): string[] {
  return Object.values(attributes).filter((value) => typeof value === "string");
}

function describe(record: CloudRecord): OwnedRecord {
  const part = tagsOf(record)["cloudwright:part"];
  return { type: record.type, id: record.id, names: textsOf(record), ...(part === undefined ? {} : { part }) };
}
