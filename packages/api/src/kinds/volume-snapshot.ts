import { cloudOf } from "@cloudwright/contract";
import { findCloud } from "@cloudwright/contract/clouds";
import { invalid } from "../calls/decode.ts";
import { findSource } from "../entities/find-source.ts";
import { textAt } from "../entities/json-tree.ts";
import type { KindRules } from "./kind-rules.ts";

export const volumeSnapshotRules: KindRules = {
  async resolve(deps, target, spec) {
    const volume = await findSource(deps, target, { kind: "Volume", ref: textAt(spec, "volume"), field: "spec.volume" });
    const [account, own] = [textAt(spec, "account"), textAt(volume.entity.spec, "account")];
    if (!["", own, volume.accountUid].includes(account)) {
      const message = `is "${account}", but the volume "${volume.name}" is in "${own}"; omit the account`;
      throw invalid("the VolumeSnapshot", [{ field: "spec.account", message }]);
    }
    return { ...spec, account: own, volume: volume.name, volumeUid: volume.uid };
  },
  // A request that omits the account or contains another uid changes neither.
  normalise: (spec, current) => ({
    ...spec,
    account: textAt(spec, "account") || textAt(current, "account"),
    volumeUid: textAt(current, "volumeUid") || textAt(spec, "volumeUid"),
  }),
  checkAgainstOwner(_spec, { name, spec }) {
    const cloud = findCloud(cloudOf(spec) ?? "");
    if (cloud === undefined || cloud.hasVolumeSnapshots === true) return [];
    const message = `is in the account "${name}", which is in ${cloud.title}; this release cannot create snapshots in ${cloud.title}`;
    return [{ field: "spec.volume", message }];
  },
};
