/** Lets an observer see a call's answer or fault before the caller does. */
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
