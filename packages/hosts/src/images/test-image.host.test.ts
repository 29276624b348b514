import { processEnvironment } from "@cloudwright/platform";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildTestImage } from "./testing/test-image.ts";

const image = processEnvironment["CLOUDWRIGHT_HOST_IMAGE"];

// The suites run without a network, so a second build would fail.
test.skipIf(image === undefined)("an image that was built from the same recipe is not built again", async () => {
  expect(await buildTestImage(join(image as string, "..", "..", ".."))).toBe(image);
});
