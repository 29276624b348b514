import { Secret, systemClock } from "@cloudwright/platform";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost } from "@cloudwright/simulator/testing";
import { expect, onTestFinished, test } from "vitest";
import { createAwsApi } from "./api.ts";
import { createCredentialSource } from "./credentials.ts";
import { hasImage } from "./has-image.ts";

test("M143 images are looked up by system and by ID, and a missing one is not an error", async () => {
  const region = "eu-west-1";
  const host = await startApiHost({ inventory: createMemoryInventory(), secret: new Secret("test"), listen: { port: 0 } });
  onTestFinished(() => host.close());
  const { environment } = await host.issue("someone", "aws", { region });
  const keys = {
    accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: new Secret(environment["AWS_SECRET_ACCESS_KEY"] ?? ""),
  };
  const endpoints = { AWS_ENDPOINT_URL: host.address };
  const source = createCredentialSource(
    { clock: systemClock, openAccess: async () => ({ first: { by: "keys", ...keys } }) },
    { endpoints, region, sessionName: "t" },
  );
  const api = createAwsApi(source, { region, endpoints });
  onTestFinished(() => api.close());
  for (const [image, type] of [
    ["ubuntu-24.04", "t3.micro"],
    ["debian-12", "t4g.micro"],
  ] as const)
    expect([image, await hasImage(api, image, type)]).toEqual([image, true]);
  expect(await hasImage(api, "ami-0123456789abcdef0", "t3.micro")).toBe(false);
});
