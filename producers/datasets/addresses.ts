/** A public data set: where its file lies, and which importer reads it. */
export interface PublicSet {
  readonly name: string;
  readonly description: string;
  readonly licence: string;
  /** The name of an importer. */
  readonly format: string;
  readonly url: string;
  /** Of the file at the address, hex. Absent: not known. */
  readonly sha256?: string;
}

/** Where public sets lie. MathQA is published as an archive: unpack it and import its `test.json`. */
export const publicSets: readonly PublicSet[] = [
  {
    name: 'gsm8k',
    description: 'grade-school mathematics, test part',
    licence: 'MIT',
    format: 'gsm8k',
    url: 'https://raw.githubusercontent.com/openai/grade-school-math/master/grade_school_math/data/test.jsonl',
    sha256: '3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14',
  },
  {
    name: 'gsm8k-train',
    description: 'grade-school mathematics, training part',
    licence: 'MIT',
    format: 'gsm8k',
    url: 'https://raw.githubusercontent.com/openai/grade-school-math/master/grade_school_math/data/train.jsonl',
    sha256: '17f347dc51477c50d4efb83959dbb7c56297aba886e5544ee2aaed3024813465',
  },
  {
    name: 'aqua',
    description: 'algebra with five options, test part',
    licence: 'Apache-2.0',
    format: 'aqua',
    url: 'https://raw.githubusercontent.com/google-deepmind/AQuA/master/test.json',
  },
  {
    name: 'commonsenseqa',
    description: 'everyday knowledge with five options, development part',
    licence: 'MIT',
    format: 'commonsenseqa',
    url: 'https://s3.amazonaws.com/commonsensqa/dev_rand_split.jsonl',
  },
  {
    name: 'strategyqa',
    description: 'yes/no questions that take several steps, as BIG-bench has them',
    licence: 'Apache-2.0',
    format: 'strategyqa',
    url: 'https://raw.githubusercontent.com/google/BIG-bench/main/bigbench/benchmark_tasks/strategyqa/task.json',
  },
  {
    name: 'squad',
    description: 'questions about passages, version 1.1, development part',
    licence: 'CC BY-SA 4.0',
    format: 'squad',
    url: 'https://rajpurkar.github.io/SQuAD-explorer/dataset/dev-v1.1.json',
    sha256: '95aa6a52d5d6a735563366753ca50492a658031da74f301ac5238b03966972c9',
  },
  {
    name: 'math500',
    description: '500 competition problems',
    licence: 'MIT',
    format: 'math500',
    url: 'https://huggingface.co/datasets/HuggingFaceH4/MATH-500/resolve/main/test.jsonl',
  },
  {
    name: 'aime2024',
    description: '30 competition problems with whole numbers as answers',
    licence: 'not stated',
    format: 'aime2024',
    url: 'https://huggingface.co/datasets/Maxwell-Jia/AIME_2024/resolve/main/aime_2024_problems.jsonl',
  },
];
