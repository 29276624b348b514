import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectConformance } from "./expect-conformance.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { findProvider, type RealProvider } from "./find-provider.ts";
import { listUncovered } from "./list-uncovered.ts";
import type { LocalCloud } from "./local-cloud.ts";
import { infra } from "./open-configuration.ts";

/** One cloud's part of the conformance suite. */
export interface CloudSuite<Cloud extends LocalCloud> {
  /** Name of the cloud in the paths of configurations, for example `gcp`. */
  readonly cloud: string;
  /** Source address of the real Terraform provider, for example `hashicorp/google`. */
  readonly provider: string;
  readonly cases: readonly ConformanceCase[];
  start(provider: RealProvider & { readonly found: true }): Promise<Cloud>;
}

// The real providers take seconds to start and poll every few seconds until a resource is created or deleted.
const patient = { timeout: 900_000 };

/**
 * Declares the tests of a cloud: one for each case, and one for each configuration version, which checks that the cases set all variables
 * of the version.
 */
export function describeCloud<Cloud extends LocalCloud>({ cloud, provider, cases, start }: CloudSuite<Cloud>): void {
  const found = findProvider(provider);
  if (!found.found) console.log(`skipped the real provider ${provider}: ${found.reason}`);

  test.each(listPlaces(cloud))("M138 the conformance cases set every variable of %s", (place) => {
    expect(listUncovered(place, cases)).toEqual([]);
  });

  describe.skipIf(!found.found)(`the configurations with the real provider ${provider}`, () => {
    let server: Cloud;
    beforeAll(async () => {
      if (found.found) server = await start(found);
    });
    afterAll(() => server?.close());
    test.each(cases)("M138 $place: $title", patient, async (each) => {
      expect(found.found).toBe(true);
      if (found.found) await expectConformance(found, server, each);
    });
  });
}

function listPlaces(cloud: string): string[] {
  return readdirSync(infra).flatMap((service) =>
    readdirSync(join(infra, service, cloud)).map((version) => `${service}/${cloud}/${version}`),
  );
}
