import { chooseSeed } from "@cloudwright/platform/testing";
import { expect, test } from "vitest";
import { describeCloud } from "../describe-cloud.ts";
import { findProvider } from "../find-provider.ts";
import { clusterCases } from "./cluster-cases.ts";
import { given, region, subscription } from "./fixtures.ts";
import { networkCases } from "./network-cases.ts";
import { listRandomCases } from "./random-cases.ts";
import { startAzure } from "./start-azure.ts";
import { storageCases } from "./storage-cases.ts";

const provider = "hashicorp/azurerm";
// The titles of the random cases contain the seed, so that a failed case can be repeated with CLOUDWRIGHT_TEST_SEED.
const seed = chooseSeed();

describeCloud({
  cloud: "azure",
  provider,
  cases: [...networkCases, ...clusterCases, ...storageCases, ...listRandomCases(seed)],
  start: startAzure,
});

test.skipIf(!findProvider(provider).found)(
  "M138 the local Azure server discards the resources of a failed case and keeps the predefined ones",
  async () => {
    const azure = await startAzure();
    try {
      const before = azure.store.listAll().map(({ id }) => id);
      const id = `/subscriptions/${subscription}/resourceGroups/left`;
      azure.store.put({ id, name: "left", type: "", location: region, properties: {} });
      azure.store.remove(given.vault);
      expect(azure.listResources()).toEqual([id]);
      await azure.reset();
      expect(azure.listResources()).toEqual([]);
      expect(azure.store.listAll().map((each) => each.id)).toEqual(before);
    } finally {
      await azure.close();
    }
  },
);
