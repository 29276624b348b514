import { defineFaults } from "./fault.ts";

export const platformFaults = defineFaults("platform", {
  bad_configuration: {
    kind: "invalid",
    when: "an environment variable or a configuration file holds a value that cannot be used",
    help: "Correct the value that the message names and start again.",
  },
});
