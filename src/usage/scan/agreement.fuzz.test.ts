import { test } from "vitest";
import { sized } from "../../../test/size.ts";
import { agreeWithModel, agreeWithParsing } from "../fixtures/agreement.ts";

const files = sized(300, 3_000);

test(`in ${files} files of changed lines the quick scan and a parser agree`, () => agreeWithParsing(files));

test(`in ${files} files of changed lines the report and the session model agree`, () => agreeWithModel(files));
