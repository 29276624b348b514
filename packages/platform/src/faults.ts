import { defineFaults } from "./fault.ts";

export const platformFaults = defineFaults("platform", {
  bad_configuration: {
    kind: "invalid",
    when: "an environment variable or a configuration file has an invalid value",
    help: "Correct the value that the message names, then start again.",
  },
  missing_tool: {
    kind: "unavailable",
    when: "a program that CLOUDWRIGHT_REQUIRE names is not installed on this machine",
    help: "Install the program, or remove its name from CLOUDWRIGHT_REQUIRE.",
  },
});
