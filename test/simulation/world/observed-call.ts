/** What an onlooker hears of a call: its answer or its fault, before the caller does. */
export function observed<Answer>(
  call: Promise<Answer>,
  answered: (answer: Answer) => void,
  failed: (error: unknown) => void,
): Promise<Answer> {
  return call.then(
    (answer) => {
      answered(answer);
      return answer;
    },
    (error: unknown) => {
      failed(error);
      throw error;
    },
  );
}
