import { defineFaults } from "./fault.ts";

export const platformFaults = defineFaults("platform", {
  bad_configuration: {
    kind: "invalid",
    when: "an environment variable or a configuration file holds a value that cannot be used",
    help: "Correct the value that the message names and start again.",
  },
  missing_tool: {
    kind: "unavailable",
    when: "a program that CLOUDWRIGHT_REQUIRE names is not on this machine",
    help: "Install the program, or take its name out of CLOUDWRIGHT_REQUIRE.",
  },
});
