import { defineFaults } from "./fault.ts";

export const platformFaults = defineFaults("platform", {
  bad_configuration: {
    kind: "invalid",
    when: "an environment variable or a configuration file has an invalid value",
    help: "Correct the value named in the message, then restart the program.",
  },
  missing_tool: {
    kind: "unavailable",
    when: "a program listed in CLOUDWRIGHT_REQUIRE is not installed on this machine",
    help: "Install the program, or remove it from CLOUDWRIGHT_REQUIRE.",
  },
});
