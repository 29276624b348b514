import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProvider, type RealProvider } from "../find-provider.ts";
import { openConfiguration } from "../open-configuration.ts";
import { clusterCases } from "./cluster-cases.ts";
import { startGoogleCloud, type GoogleCloud } from "./google-cloud.ts";
import { listOwned } from "./list-owned.ts";
import { networkCases } from "./network-cases.ts";
import { storageCases } from "./storage-cases.ts";

const found = findProvider("hashicorp/google");
const region = "europe-west1";
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const cases = [...networkCases, ...clusterCases, ...storageCases].filter(({ title }) =>
  /with every setting|with its own key|taken when/.test(title),
);

describe.skipIf(!found.found)("adoption with the real provider hashicorp/google", () => {
  let cloud: GoogleCloud;
  beforeAll(async () => void (cloud = await startGoogleCloud()));
  afterAll(() => cloud?.close());

  test.each(cases)(
    "M042 $place: $title: resources whose state was lost are found and imported, and then do not change",
    { timeout: 900_000 },
    async ({ place, variables }) => {
      const provider = found as RealProvider & { readonly found: true };
      await cloud.reset();
      const lost = await openConfiguration(provider, cloud, place);
      const resumed = await openConfiguration(provider, cloud, place);
      try {
        await lost.setVariables(variables);
        await lost.run("apply", "-auto-approve", "-input=false", "-json");
        const state = JSON.parse((await lost.run("show", "-json")).output) as State;
        const created = (state.values.root_module.resources ?? []).filter(({ mode }) => mode === "managed");
        const owned = await listOwned(cloud, uid, region);
        const imports = created.flatMap(({ address, type, values }) => {
          const match = owned.find((each) => each.type === type && each.id === values.id);
          return match === undefined ? [] : [{ to: address, id: match.importId ?? match.id }];
        });
        // The platform does not read service accounts in other projects, so it does not find their IAM members.
        const missing = created.map(({ address }) => address).filter((each) => !imports.some(({ to }) => to === each));
        expect(missing.filter((address) => !address.startsWith("google_service_account_iam_member."))).toEqual([]);

        await resumed.setVariables(variables);
        await resumed.add({ import: imports });
        // Imported resources lack the labels that Terraform manages and the settings that exist only in Terraform, so the first apply
        // updates them.
        const harmful = Object.entries(await resumed.plan()).filter(
          ([address, action]) => !missing.includes(address) && action !== "import" && action !== "update",
        );
        expect(harmful).toEqual([]);
        await resumed.run("apply", "-auto-approve", "-input=false", "-json");
        expect(await resumed.plan()).toEqual({});
        await resumed.run("destroy", "-auto-approve", "-input=false", "-json");
        expect(cloud.listResources()).toEqual([]);
      } finally {
        await lost.close();
        await resumed.close();
      }
    },
  );
});

interface State {
  readonly values: {
    readonly root_module: {
      readonly resources?: readonly {
        readonly address: string;
        readonly mode: string;
        readonly type: string;
        readonly values: { readonly id: string };
      }[];
    };
  };
}
