import { describeExecutorContract } from "@cloudwright/deployer/testing";
import { afterAll, beforeAll, describe } from "vitest";
import { createTerraformSubject } from "../testing/terraform-subject.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

describe.skipIf(!terraform.found)("with real Terraform", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());
  describeExecutorContract(createTerraformSubject(() => platform));
});
