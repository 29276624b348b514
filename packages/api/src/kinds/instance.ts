import { cloudOf, hasAction, listNames, nameKeySecret, type JsonObject } from "@cloudwright/contract";
import { findCloud } from "@cloudwright/contract/clouds";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import { listRotatingKeys, listStillAttached, type Database } from "@cloudwright/store";
import { invalid } from "../calls/decode.ts";
import { findGroupProblems } from "../entities/find-group-problems.ts";
import { getAt, isEqual, isObject, textAt } from "../entities/json-tree.ts";
import { unsealSecrets } from "../entities/secrets.ts";
import { apiFaults } from "../faults.ts";
import { formerPrivateHalf, privateHalf } from "../ssh-keys/rotation.ts";
import { isClaim, listClaimProblems, listCreationProblems } from "./claimed-instance.ts";
import { chooseHost, claimHost, hasController } from "./inventory-hosts.ts";
import type { AdmittedEntity, KindRules, NamedSpec } from "./kind-rules.ts";

const usualImage = "ubuntu-24.04";
const usualDiskGib = 20;
const provisioner = "direct";

export const instanceRules: KindRules = {
  // Defaults are stored, so that existing instances keep them if a later release has different ones.
  normalise(spec, current, network) {
    if (isClaim(spec) || isClaim(current)) return { ...spec, host: textAt(spec, "host") || textAt(current, "host"), provisioner };
    const facts = findCloud(cloudOf(network ?? {}) ?? "");
    const { defaultImage: image = usualImage, defaultDiskGib: diskGib = usualDiskGib } = facts?.instances ?? {};
    const disk = isObject(spec["rootDisk"]) ? spec["rootDisk"] : {};
    const size = Number(disk["sizeGib"] ?? 0) || Number(getAt(current, ["rootDisk", "sizeGib"]) ?? 0) || diskGib;
    return {
      ...spec,
      image: textAt(spec, "image") || textAt(current, "image") || image,
      provisioner,
      rootDisk: { kmsKey: "", ...disk, sizeGib: size },
    };
  },
  checkAgainstOwner: (spec, owner) => (isClaim(spec) ? listClaimProblems(spec) : checkAgainstNetwork(spec, owner)),
  place: async ({ pool }, entity) => (isClaim(entity.spec) ? chooseHost(pool, entity) : undefined),
  async confirm(database, entity) {
    if (entity.isNew && isClaim(entity.spec)) await claimHost(database, entity);
  },
  async requireUnused({ pool }, { project, name }) {
    // A detachment can fail, so a volume may still be attached although its spec no longer names the instance.
    const [volume] = await listStillAttached(pool, project, name);
    if (volume === undefined) return;
    const message = `Volume "${volume}" is still attached to Instance "${name}"; wait until it is detached, or unmount it and retry its operation`;
    throw new Fault(apiFaults.volume_attached, message);
  },
  renderStatus: (_spec, secretsSet) => ({ secretsSet }),
  async listTaskSecrets({ pool, keyRing }, uid, taskType) {
    if (!hasAction(taskType, "replaceKey")) return [];
    return (await listRotatingKeys(pool, uid)).map((key) => {
      const { [privateHalf]: privateKey = "", [formerPrivateHalf]: former = "" } = unsealSecrets(keyRing, key.uid, key.sealed);
      return {
        kind: key.kind,
        name: key.name,
        uid: key.uid,
        secrets: { [nameKeySecret(key.uid, "privateKey")]: privateKey, [nameKeySecret(key.uid, "formerPrivateKey")]: former },
      };
    });
  },
  async admit(deps, _call, { uid, project, spec, secrets, before }) {
    if (isClaim(spec)) return admitClaim(deps.pool, { project, spec, secrets });
    const names = listNames(spec, { field: "securityGroups" });
    const network = textAt(spec, "network");
    const fields = await findGroupProblems(deps, { uid, project, network, names, field: "spec.securityGroups" });
    if (fields.length > 0) throw invalid("the Instance", fields);
    if (before === undefined || isEqual({ ...before.secrets }, { ...secrets })) return;
    const message = "cannot change after creation, because instances read it only when they start for the first time";
    throw invalid("the Instance", [{ field: "spec.userData", message }]);
  },
};

/** Checks an instance of an inventory, also on updates. */
async function admitClaim(
  pool: Database,
  { project, spec, secrets }: Pick<AdmittedEntity, "project" | "spec" | "secrets">,
): Promise<void> {
  const fields = listClaimProblems(spec, secrets);
  if (fields.length > 0) throw invalid("the Instance", fields);
  if (spec["running"] !== false || (await hasController(pool, { project, spec }))) return;
  const message = `cannot be false: host "${textAt(spec, "host")}" has no management controller, so the platform cannot stop it`;
  throw invalid("the Instance", [{ field: "spec.running", message }]);
}

function checkAgainstNetwork(spec: JsonObject, network: NamedSpec): FieldViolation[] {
  return [
    ...listCreationProblems(spec),
    ...checkCloud(network),
    ...checkSection(spec, network),
    ...checkAccount(textAt(spec, "account"), network),
    ...(findCloud(cloudOf(network.spec) ?? "")?.instances?.listProblems(spec) ?? []),
  ];
}

function checkCloud({ name, spec }: NamedSpec): FieldViolation[] {
  const cloud = findCloud(cloudOf(spec) ?? "");
  if (cloud === undefined || cloud.hasInstances === true) return [];
  const message = `is "${name}", which is in ${cloud.title}; this release cannot create instances in ${cloud.title}`;
  return [{ field: "spec.network", message }];
}

/** Checks that cloud-specific settings are for the same cloud as the network. */
function checkSection(spec: JsonObject, network: NamedSpec): FieldViolation[] {
  const [own, other] = [cloudOf(spec), cloudOf(network.spec)];
  if (own === undefined || other === undefined || own === other) return [];
  return [
    {
      field: `spec.${own}`,
      message: `does not match network "${network.name}", which is in ${findCloud(other)?.title ?? other}`,
    },
  ];
}

function checkAccount(account: string, network: NamedSpec): FieldViolation[] {
  const own = textAt(network.spec, "account");
  if (account === "" || account === own) return [];
  const message = `is "${account}", but network "${network.name}" belongs to the account "${own}"`;
  return [{ field: "spec.account", message }];
}
