import { test } from "vitest";
import { agreeWithModel, agreeWithParsing } from "../../src/usage/fixtures/agreement.ts";

test("on more than a hundred thousand changed lines the quick scan and a parser agree", () => agreeWithParsing(3_000));

test("on tens of thousands the session model agrees, too", () => agreeWithModel(3_000));
