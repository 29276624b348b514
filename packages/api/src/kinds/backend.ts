import { findBackendProblem, findBackendType, type BackendSettingsMap } from "@cloudwright/contract";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import {
  findBackendUser,
  listBackends,
  listBackendUses,
  storeFaults,
  type BackendUseRow,
  type Database,
} from "@cloudwright/store";
import { invalid } from "../calls/decode.ts";
import { isObject, textAt } from "../entities/json-tree.ts";
import { judgeUse, readBackend } from "../entities/state-backend.ts";
import type { AdmittedEntity, KindRules } from "./kind-rules.ts";

export const backendRules: KindRules = {
  renderStatus: (_spec, secretsSet) => ({ secretsSet }),
  async admit(_deps, _call, backend) {
    const fields = [...listProblems(backend), ...listStrangeSecrets(backend)];
    if (fields.length > 0) throw invalid("the Backend", fields);
  },
  async requireUnused({ pool }, row) {
    const user = (await findBackendUser(pool, row.name)) ?? (await findOldUser(pool, row.name));
    if (user === undefined) return;
    const { kind, name, project } = user;
    throw new Fault(storeFaults.in_use, `Backend "${row.name}" stores the state of ${kind} "${name}" in project "${project}"`);
  },
};

/** Returns an entity that an earlier release created and whose state is stored in this backend. Such entities do not name their backend. */
async function findOldUser(pool: Database, name: string): Promise<BackendUseRow | undefined> {
  const backends = (await listBackends(pool)).map(readBackend);
  for (let after: string | undefined; ;) {
    const uses = await listBackendUses(pool, { after, limit: 1000 });
    const user = uses.find((use) => judgeUse(backends, use, use.backend)?.backend?.name === name);
    after = uses.at(-1)?.uid;
    if (user !== undefined || after === undefined) return user;
  }
}

function listProblems({ spec }: AdmittedEntity): FieldViolation[] {
  const settings = (isObject(spec["settings"]) ? spec["settings"] : {}) as BackendSettingsMap;
  const problem = findBackendProblem(textAt(spec, "type"), settings, { mayLocate: false });
  const isUseless = textAt(spec, "prefix") !== "" && findBackendType(textAt(spec, "type"))?.isLocationFixed === true;
  return [
    ...(problem === undefined ? [] : [{ ...problem, field: `spec.${problem.field}` }]),
    ...(isUseless ? [{ field: "spec.prefix", message: "must be empty: this type of backend has no folders" }] : []),
  ];
}

/** Lists secrets that the backend's type does not use. They are rejected, because they would be exposed to runs for no reason. */
function listStrangeSecrets({ spec, secrets }: AdmittedEntity): FieldViolation[] {
  const type = textAt(spec, "type");
  const { variables = {} } = findBackendType(type) ?? {};
  const given = [...Object.keys(secrets), ...(textAt(spec, "accessKeyId") === "" ? [] : ["spec.accessKeyId"])];
  return given
    .filter((field) => !Object.hasOwn(variables, field.replace(/^spec\./, "")))
    .map((field) => ({ field, message: `must be empty: the backend ${type} does not use it` }));
}
