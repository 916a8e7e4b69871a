def judge_published(study, record):
    return []
