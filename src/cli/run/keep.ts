export { keepPayload } from "../../sdk/internal.ts";
