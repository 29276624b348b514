import { describeError, listRequiredTools, requireTool } from "@cloudwright/platform";

// Prints where the optional tools that some test suites use are installed. Fails if a tool listed in CLOUDWRIGHT_REQUIRE is missing.
const known = ["terraform", "kubectl", "pg15", "chromium", "helm", "tofu"];
for (const name of new Set([...known, ...listRequiredTools()])) {
  try {
    const probe = requireTool(name);
    console.log(probe.found ? `${name}: ${probe.path}` : `${name}: missing, its tests will be skipped`);
  } catch (error) {
    console.error(describeError(error));
    process.exitCode = 1;
  }
}
