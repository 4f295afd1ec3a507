export { keepPayload } from "../../sdk/index.ts";
