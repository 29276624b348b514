import { cloudOf, readBmcPasswords, type JsonObject } from "@cloudwright/contract";
import { findCloud } from "@cloudwright/contract/clouds";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import { findReferences, listClaims, type Database } from "@cloudwright/store";
import { invalid } from "../calls/decode.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { textAt } from "../entities/json-tree.ts";
import { apiFaults } from "../faults.ts";
import { hostsOf } from "./inventory-hosts.ts";
import type { AdmittedEntity, KindRules } from "./kind-rules.ts";

const passwordsPath = "spec.bmcPasswords";

export const inventoryRules: KindRules = {
  checkAgainstOwner(_spec, { name, spec }) {
    const cloud = findCloud(cloudOf(spec) ?? "");
    if (cloud === undefined || cloud.hasInventories === true) return [];
    const message = `is "${name}", which is in ${cloud.title}; an inventory requires an account for machines of your own`;
    return [{ field: "spec.account", message }];
  },
  renderStatus: (_spec, secretsSet) => ({ secretsSet }),
  async admit({ pool }, _call, inventory) {
    const name = textAt(inventory.spec, "sshKey");
    const [key] = await findReferences(pool, [{ kind: "SshKey", project: inventory.project, ref: name }]);
    const keySecrets = key === undefined ? undefined : parseEntity(key.object).status["secretsSet"];
    const hasPrivate = !Array.isArray(keySecrets) || keySecrets.includes("spec.privateKey");
    const message = `is "${name}", whose private half the platform does not store, so it cannot log in with it`;
    const fields = [...(hasPrivate ? [] : [{ field: "spec.sshKey", message }]), ...listPasswordProblems(inventory)];
    if (fields.length > 0) throw invalid("the Inventory", fields);
    await requirePlacesKept(pool, inventory);
  },
  // A host can be claimed after the request was read, so the claims are compared once more while the inventory is locked.
  async confirm(database, { uid, name, spec, isNew }) {
    if (isNew) return;
    const kept = new Set(hostsOf(spec).map((host) => textAt(host, "name")));
    const lost = (await listClaims(database, [uid])).filter(({ part }) => !kept.has(part));
    if (lost.length === 0) return;
    const users = lost.map(({ part, name: instance }) => `"${part}" (${instance === "" ? "claimed" : `Instance "${instance}"`})`);
    throw new Fault(apiFaults.host_claimed, `Inventory "${name}" cannot lose hosts that are claimed: ${users.join(", ")}`);
  },
  async renderRows({ pool }, rows) {
    const claims = await listClaims(
      pool,
      rows.map(({ uid }) => uid),
    );
    return rows.map((row) => {
      const entity = parseEntity(row.object);
      const own = claims.filter(({ owner_uid: owner }) => owner === row.uid);
      entity.status["claims"] = own.map(({ part: host, name: instance }) => ({ host, instance }));
      return JSON.stringify(entity);
    });
  },
};

/** Throws if a claimed host would be reached elsewhere. Its release would then leave the claim on the former machine. */
async function requirePlacesKept(pool: Database, { uid, spec, before }: AdmittedEntity): Promise<void> {
  if (before === undefined) return;
  const placesOf = (of: JsonObject): Map<string, string> =>
    new Map(hostsOf(of).map((host) => [textAt(host, "name"), describePlace(host, of)]));
  const [former, latter] = [placesOf(before.spec), placesOf(spec)];
  const moved = (await listClaims(pool, [uid])).filter(({ part }) => latter.has(part) && latter.get(part) !== former.get(part));
  if (moved.length === 0) return;
  const hosts = moved.map(({ part }) => `"${part}" (${former.get(part)})`).join(", ");
  throw new Fault(
    apiFaults.host_claimed,
    `the address, port and user of a claimed host cannot change: ${hosts}; release it first, or add the machine as another host`,
  );
}

/** Describes how a host is reached. */
function describePlace(host: JsonObject, spec: JsonObject): string {
  return `${textAt(host, "user") || textAt(spec, "user")}@${textAt(host, "address")}:${Number(host["port"] ?? 0) || 22}`;
}

/** Checks the passwords against the hosts. The messages never contain a part of the secret other than the names of hosts. */
function listPasswordProblems({ spec, secrets }: AdmittedEntity): FieldViolation[] {
  const { [passwordsPath]: text } = secrets;
  const passwords = text === undefined ? new Map<string, string>() : readBmcPasswords(text);
  if (passwords === undefined) {
    return [{ field: passwordsPath, message: "must have one line per host: the host's name, a space, and the password" }];
  }
  return hostsOf(spec).flatMap((host, index): FieldViolation[] => {
    const name = textAt(host, "name");
    if (host["bmc"] === undefined || host["bmc"] === null || passwords.has(name)) return [];
    return [
      { field: `spec.hosts[${index}].bmc`, message: `has no password: add the line "${name} PASSWORD" to spec.bmcPasswords` },
    ];
  });
}
