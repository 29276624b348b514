export { listOf, numberOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
