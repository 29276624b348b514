import { Fault } from "@cloudwright/platform";
import { countMembers, storeFaults } from "@cloudwright/store";
import { parseEntity } from "../calls/trace-call.ts";
import type { KindRules } from "./kind-rules.ts";

export const environmentRules: KindRules = {
  // Members of an environment may read the environment itself.
  environmentOf: (method, row) => (method.role === "viewer" ? row.name : row.environment),
  limitList: (_, reach) => (reach.all ? {} : { environments: undefined, names: reach.environments }),
  async renderRows({ pool }, rows) {
    const uids = rows.map(({ uid }) => uid);
    const members = await countMembers(pool, uids);
    return rows.map((row) => {
      const entity = parseEntity(row.object);
      const own = members.filter((member) => member.environment_uid === row.uid);
      entity.status["members"] = own.map(({ kind, phase, count }) => ({ kind, phase, count }));
      return JSON.stringify(entity);
    });
  },
  async requireUnused({ pool }, row) {
    const members = await countMembers(pool, [row.uid]);
    const count = members.reduce((sum, member) => sum + member.count, 0);
    if (count > 0)
      throw new Fault(storeFaults.in_use, `environment "${row.name}" still has ${count} ${count === 1 ? "entity" : "entities"}`);
  },
};
